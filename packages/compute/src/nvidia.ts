/**
 * NVIDIA's cards as its own program tells of them. What rents them out names a card by its UUID alone: indexes change
 * with a reboot. Reading is apart from asking, so an engine's cards and this host's are read alike.
 */
import { spawn } from 'node:child_process'
import type { Card, CardStats } from './driver.ts'

/** What is asked for every card, as CSV. */
export const cardsQuery = [
  '--query-gpu=uuid,name,memory.total,mig.mode.current',
  '--format=csv,noheader,nounits',
]
/** What tells of MIG slices. */
export const listQuery = ['-L']

const mebibyte = 2 ** 20
const gibibyte = 2 ** 30
const callMs = 10_000
const maxOutput = 256 * 1024

const wholeCard = /^GPU-[0-9a-f-]{8,64}$/
const cardLine = /^\s*GPU \d+: .*\(UUID: (GPU-[0-9a-f-]{8,64})\)\s*$/
/** Before driver 470 a slice had its card's UUID and two numbers. */
const sliceLine =
  /^\s*MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-(?:[0-9a-f-]{8,64}|GPU-[0-9a-f-]{8,64}\/\d+\/\d+))\)\s*$/

/**
 * What can be rented: every card that is whole, and the slices of those that are cut up. A card whose memory the driver
 * does not tell, as where it shares the host's, or that it can't reach has no line that says all of it, and is left out.
 */
export function readCards(query: string, list: string): Card[] {
  const slices = slicesOf(list)
  return query.split('\n').flatMap((line): Card[] => {
    const [uuid = '', model = '', mebibytes = '', mig = ''] = line.split(',').map(field => field.trim())
    if (!wholeCard.test(uuid) || !model) return []
    if (mig === 'Enabled')
      return (slices.get(uuid) ?? []).map(slice => ({ ...slice, model: `${model} MIG ${slice.model}` }))
    return /^\d+$/.test(mebibytes) ? [{ uuid, model, memoryBytes: Number(mebibytes) * mebibyte }] : []
  })
}

/** By their cards. A slice has the memory of its name, of which a little is the driver's own. */
function slicesOf(list: string): Map<string, Card[]> {
  const byCard = new Map<string, Card[]>()
  let slices: Card[] = []
  for (const line of list.split('\n')) {
    const card = cardLine.exec(line)?.[1]
    if (card) byCard.set(card, (slices = []))
    const [, profile = '', uuid] = sliceLine.exec(line) ?? []
    const gigabytes = /\d+g\.(\d+)gb/.exec(profile)?.[1]
    if (uuid && gigabytes) slices.push({ uuid, model: profile, memoryBytes: Number(gigabytes) * gibibyte })
  }
  return byCard
}

/** What is asked for what cards do. */
export const statsQuery = (uuids: readonly string[]): string[] => [
  `--id=${uuids.join(',')}`,
  '--query-gpu=uuid,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw',
  '--format=csv,noheader,nounits',
]

/** A card that can't tell one of these now is left out. */
export function readStats(output: string): CardStats[] {
  return output.split('\n').flatMap(line => {
    const [uuid = '', ...figures] = line.split(',').map(field => field.trim())
    const [load, used, total, celsius, watts] = figures.map(figure =>
      /^\d+(\.\d+)?$/.test(figure) ? Number(figure) : Number.NaN,
    )
    const stats = {
      uuid,
      load: load! / 100,
      memoryUsedBytes: used! * mebibyte,
      memoryBytes: total! * mebibyte,
      celsius: celsius!,
      watts: watts!,
    }
    return wholeCard.test(uuid) && Object.values(stats).every(figure => !Number.isNaN(figure)) ? [stats] : []
  })
}

/** What the program wrote; null when it could not be run, failed or took too long: it hangs where a card does. */
export function askNvidia(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: callMs,
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, maxOutput)
    })
    // A process that waits for a card that hangs does not even end when it is killed.
    const timer = setTimeout(() => resolve(null), callMs + 500)
    child.on('error', () => resolve(null))
    child.on('close', code => resolve(code === 0 ? output : null))
    child.on('close', () => clearTimeout(timer))
  })
}
