/**
 * What `nvidia-smi` prints: one row for each GPU of the machine, and in the table itself that the cards are
 * simulated, so that a copied report says so too.
 */
import { dateLine } from './clock-text.ts'
import type { MachineFacts } from './facts.ts'

/** The figures that `nvidia-smi` shows as total memory. An A40 reports less than its 48 GB, because ECC takes some. */
export const gpuMemoryMib: Readonly<Record<string, number>> = {
  'RTX 4090': 24_576,
  A40: 48_128,
  'A100 40GB': 40_960,
  V100: 32_768,
  'RTX 3090': 24_576,
  'A100 80GB': 81_920,
  H100: 81_920,
  A6000: 49_152,
  L4: 24_576,
  T4: 16_384,
}

const powerCapWatts: Readonly<Record<string, number>> = {
  'RTX 4090': 450,
  A40: 300,
  'A100 40GB': 400,
  V100: 300,
  'RTX 3090': 350,
  'A100 80GB': 400,
  H100: 700,
  A6000: 300,
  L4: 72,
  T4: 70,
}
const otherPowerCapWatts = 300

const rule = '-'.repeat(77)
const bar = '='.repeat(77)
const columns = '-------------------------------+----------------------+----------------------'
const wide = (text: string) => `| ${text.padEnd(75)} |`

export function nvidiaSmi(facts: MachineFacts, nowMs: number): string[] {
  const rows = Array.from({ length: facts.gpuCount }, (_, index) => gpuRows(facts, index)).flat()
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

/** An idle card. The index moves the temperature and draw a little, as no two cards of a machine are alike. */
function gpuRows(facts: MachineFacts, index: number): string[] {
  const name = `${facts.gpuType} (simulated)`.padEnd(21)
  const bus = `00000000:${(index + 1).toString(16).toUpperCase().padStart(2, '0')}:00.0`
  const cap = powerCapWatts[facts.gpuType] ?? otherPowerCapWatts
  const draw = Math.round(cap * 0.07) + ((index * 3) % 5)
  const power = `${draw}W / ${cap}W`
  const total = gpuMemoryMib[facts.gpuType] ?? facts.gpuMemoryGb * 1_024
  const temperature = `${29 + ((index * 2) % 7)}C`
  return [
    `| ${String(index).padStart(2)}  ${name} Off | ${bus} Off |                    0 |`,
    `|  0%  ${temperature.padStart(4)}    P8 ${power.padStart(13)} |${`0MiB / ${total}MiB`.padStart(21)} |      0%      Default |`,
    '|                               |                      |                  N/A |',
    `+${columns}+`,
  ]
}
