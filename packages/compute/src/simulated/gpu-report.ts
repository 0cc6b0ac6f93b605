/**
 * What `nvidia-smi` prints: one row for each GPU of the machine, and in the table itself that the cards are
 * simulated, so that a copied report says so too.
 */
import { dateLine } from './clock-text.ts'
import type { MachineFacts } from './facts.ts'
import { cardFigures } from './figures.ts'

const rule = '-'.repeat(77)
const bar = '='.repeat(77)
const columns = '-------------------------------+----------------------+----------------------'
const wide = (text: string) => `| ${text.padEnd(75)} |`

export function nvidiaSmi(facts: MachineFacts, nowMs: number): string[] {
  const rows = Array.from({ length: facts.gpuCount }, (_, index) => gpuRows(facts, index, nowMs)).flat()
  return [
    dateLine(nowMs),
    `+${rule}+`,
    wide('SIMULATED GPU: no physical card is attached, these figures are made up.'),
    wide('NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4'),
    `|${columns}+`,
    '| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |',
    '| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |',
    '|                               |                      |               MIG M. |',
    `|${columns.replaceAll('-', '=')}|`,
    ...rows,
    '',
    `+${rule}+`,
    wide('Processes:'),
    wide(' GPU   GI   CI        PID   Type   Process name                  GPU Memory'),
    wide('       ID   ID                                                   Usage'),
    `|${bar}|`,
    wide(' No running processes found'),
    `+${rule}+`,
  ]
}

function gpuRows(facts: MachineFacts, index: number, nowMs: number): string[] {
  const { load, memoryUsedMib, memoryMib, celsius, watts, capWatts } = cardFigures(facts, index, nowMs)
  const name = `${facts.gpuType} (simulated)`.padEnd(21)
  const bus = `00000000:${(index + 1).toString(16).toUpperCase().padStart(2, '0')}:00.0`
  const power = `${Math.round(watts)}W / ${capWatts}W`
  const memory = `${Math.round(memoryUsedMib)}MiB / ${memoryMib}MiB`
  const temperature = `${Math.round(celsius)}C`
  const percent = `${Math.round(load * 100)}%`
  return [
    `| ${String(index).padStart(2)}  ${name} Off | ${bus} Off |                    0 |`,
    `|  0%  ${temperature.padStart(4)}    P8 ${power.padStart(13)} |${memory.padStart(21)} |${percent.padStart(8)}      Default |`,
    '|                               |                      |                  N/A |',
    `+${columns}+`,
  ]
}
