/**
 * What machines use now, as their drivers say. However many ask, a machine is asked once at a time and not again within
 * some seconds; one that does not answer delays nobody beyond `patienceMs` and is not asked again before it has. What a
 * machine answers is not trusted: a figure that is none is left out.
 */
import type { Stats } from '@ingot/compute/driver'
import type { Logger } from 'pino'
import type { Region } from '../../catalog/regions.ts'
import type { Clock } from '../../db/clock.ts'
import { driverNamed } from '../reconcile/ask.ts'

/** An instance may have so many cards at most. */
const mostCards = 16
const patienceMs = 3_000
const keptMs = 120_000

export interface Machine {
  readonly id: string
  readonly driver: string
  readonly driver_ref: string | null
}

export interface Reading extends Stats {
  /** Business time. */
  readonly at: number
}

export interface Looks {
  /** Null: it is not running, or does not answer. One that is younger than `youngerThanMs` is not taken again. */
  look(machine: Machine, youngerThanMs: number): Promise<Reading | null>
  /** Its processor time so far; null as above. */
  cpuTime(machine: Machine): Promise<number | null>
  /** The one before the last. */
  previous(id: string): Reading | null
}

interface LookNeeds {
  readonly regions: readonly Region[]
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

interface Known {
  last: Reading | null
  previous: Reading | null
  /** A question that is not answered yet. */
  asked: { readonly at: number; readonly answer: Promise<Reading | null> } | null
  usedAt: number
}

export function createLooks({ regions, clock, log }: LookNeeds): Looks {
  const known = new Map<string, Known>()
  const cpuAsked = new Map<string, { readonly at: number; readonly answer: Promise<number | null> }>()
  let sweptAt = performance.now()

  const ask = async ({ id, driver: name, driver_ref }: Machine): Promise<Reading | null> => {
    const driver = driverNamed(regions, name)
    if (!driver || driver_ref === null) return null
    try {
      const answer = await driver.stats(driver_ref)
      return answer.kind === 'done' ? { ...cleaned(answer.value), at: clock.now() } : null
    } catch (error) {
      log.warn({ err: error, instance: id }, 'what an instance uses could not be told')
      return null
    }
  }
  const askCpu = async ({ id, driver: name, driver_ref }: Machine): Promise<number | null> => {
    const driver = driverNamed(regions, name)
    if (!driver || driver_ref === null) return null
    try {
      const answer = await driver.cpuTime(driver_ref)
      return answer.kind === 'done' && isFigure(answer.value) ? answer.value : null
    } catch (error) {
      log.warn({ err: error, instance: id }, 'whether it is idle could not be told')
      return null
    } finally {
      cpuAsked.delete(id)
    }
  }
  const begin = (machine: Machine, entry: Known, at: number) => {
    const answer = ask(machine).then(reading => {
      if (reading) entry.previous = entry.last
      entry.last = reading
      entry.asked = null
      return reading
    })
    entry.asked = { at, answer }
    return entry.asked
  }
  const sweep = (now: number) => {
    if (now - sweptAt < keptMs) return
    sweptAt = now
    for (const [id, entry] of known) if (!entry.asked && now - entry.usedAt > keptMs) known.delete(id)
  }

  return {
    async look(machine, youngerThanMs) {
      const now = performance.now()
      sweep(now)
      const entry: Known = known.get(machine.id) ?? { last: null, previous: null, asked: null, usedAt: now }
      known.set(machine.id, entry)
      entry.usedAt = now
      if (entry.last && clock.now() - entry.last.at < youngerThanMs) return entry.last
      const { at, answer } = entry.asked ?? begin(machine, entry, now)
      const left = at + patienceMs - now
      return left > 0 ? await within(answer, left) : null
    },
    async cpuTime(machine) {
      const now = performance.now()
      const asked = cpuAsked.get(machine.id) ?? { at: now, answer: askCpu(machine) }
      cpuAsked.set(machine.id, asked)
      const left = asked.at + patienceMs - now
      return left > 0 ? await within(asked.answer, left) : null
    },
    previous: id => known.get(id)?.previous ?? null,
  }
}

async function within<T>(answer: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<null>(resolve => {
    timer = setTimeout(resolve, ms, null).unref()
  })
  try {
    return await Promise.race([answer, over])
  } finally {
    clearTimeout(timer)
  }
}

const most = 2 ** 53 - 1
const isFigure = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= most
/** Null where any part of it is no figure. */
const whole = <T extends object>(part: T | null): T | null =>
  part && Object.values(part).every(isFigure) ? part : null

function cleaned({ processor, memory, disk, network, cards }: Stats): Stats {
  return {
    processor: whole(processor),
    memory: whole(memory),
    disk: whole(disk),
    network: whole(network),
    cards: (Array.isArray(cards) ? cards : [])
      .slice(0, mostCards)
      .filter(({ uuid, ...figures }) => typeof uuid === 'string' && whole(figures))
      .map(card => ({ ...card, uuid: card.uuid.slice(0, 100), load: Math.min(1, card.load) })),
  }
}

/** What it did between two looks; null where they are of two runs, or nothing was measured. */
export interface Rates {
  readonly processorCores: number | null
  readonly receivedRate: number | null
  readonly sentRate: number | null
}

export function ratesOf(now: Reading, before: Reading | null): Rates {
  const ms = before ? now.at - before.at : 0
  const grown = (later: number | undefined, earlier: number | undefined): number | null =>
    ms > 0 && later !== undefined && earlier !== undefined && later >= earlier ? (later - earlier) / ms : null
  const cores = grown(now.processor?.usedMs, before?.processor?.usedMs)
  const rate = (part: 'receivedBytes' | 'sentBytes') => {
    const each = grown(now.network?.[part], before?.network?.[part])
    return each === null ? null : each * 1_000
  }
  return {
    processorCores: cores === null ? null : Math.min(cores, now.processor!.cores || cores),
    receivedRate: rate('receivedBytes'),
    sentRate: rate('sentBytes'),
  }
}
