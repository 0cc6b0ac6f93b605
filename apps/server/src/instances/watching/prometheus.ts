/**
 * What the caller's running instances use now, as Prometheus reads it: text format 0.0.4. Counters are of the present
 * run, so they begin anew with each start. A machine is asked again at most twice a minute, however often this is read.
 */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { lookMs } from './blocks.ts'
import type { Machine, Reading } from './looks.ts'
import type { WatchNeeds } from './metrics.ts'

const together = 16
const mostInstances = 10_000
/** Machines that could not be asked within this time are left out: a scrape waits for no more. */
const patienceMs = 6_000

interface Row extends Machine {
  readonly name: string
  readonly region: string
  readonly gpu_type: string
  readonly shell: string
  readonly status: string
}

type Value = number | null | undefined
interface Metric {
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly value: (reading: Reading) => Value
}
interface CardMetric extends Omit<Metric, 'value'> {
  readonly value: (card: Reading['cards'][number]) => Value
}

const metrics: Readonly<Record<string, Metric>> = {
  ingot_instance_processor_seconds_total: {
    type: 'counter',
    help: 'Processor time of this run.',
    value: ({ processor }) => processor && processor.usedMs / 1_000,
  },
  ingot_instance_processor_cores: {
    type: 'gauge',
    help: 'Processors that it may use.',
    value: ({ processor }) => processor?.cores,
  },
  ingot_instance_memory_used_bytes: {
    type: 'gauge',
    help: 'Memory in use.',
    value: ({ memory }) => memory?.usedBytes,
  },
  ingot_instance_memory_limit_bytes: {
    type: 'gauge',
    help: 'Memory that it may use.',
    value: ({ memory }) => memory?.limitBytes,
  },
  ingot_instance_disk_used_bytes: {
    type: 'gauge',
    help: 'Disk in use.',
    value: ({ disk }) => disk?.usedBytes,
  },
  ingot_instance_disk_size_bytes: {
    type: 'gauge',
    help: 'Size of its disk.',
    value: ({ disk }) => disk?.sizeBytes,
  },
  ingot_instance_network_received_bytes_total: {
    type: 'counter',
    help: 'Bytes received in this run.',
    value: ({ network }) => network?.receivedBytes,
  },
  ingot_instance_network_sent_bytes_total: {
    type: 'counter',
    help: 'Bytes sent in this run.',
    value: ({ network }) => network?.sentBytes,
  },
}

const cardMetrics: Readonly<Record<string, CardMetric>> = {
  ingot_card_load_ratio: { type: 'gauge', help: 'Load of the card, 0 to 1.', value: card => card.load },
  ingot_card_memory_used_bytes: {
    type: 'gauge',
    help: 'Memory of the card in use.',
    value: card => card.memoryUsedBytes,
  },
  ingot_card_memory_bytes: { type: 'gauge', help: 'Memory of the card.', value: card => card.memoryBytes },
  ingot_card_temperature_celsius: {
    type: 'gauge',
    help: 'Temperature of the card.',
    value: card => card.celsius,
  },
  ingot_card_power_watts: { type: 'gauge', help: 'Power that the card draws.', value: card => card.watts },
}

export async function prometheusText(db: Db, { looks }: WatchNeeds, userId: string): Promise<string> {
  const { rows } = await sql<Row>`
    select id, name, region, gpu_type, shell, status, driver, driver_ref from gpu_instances
    where user_id = ${userId} and status <> 'terminated' order by id limit ${mostInstances}`.execute(db)
  const seen: { readonly labels: Labels; readonly reading: Reading }[] = []
  const left = rows.filter(({ status }) => status === 'running').values()
  const until = performance.now() + patienceMs
  const lookAtRest = async () => {
    for (const row of left) {
      if (performance.now() > until) return
      const reading = await looks.look(row, lookMs)
      if (reading) seen.push({ labels: labelsOf(row), reading })
    }
  }
  await Promise.all(Array.from({ length: together }, lookAtRest))
  seen.sort((a, b) => (a.labels.instance_id < b.labels.instance_id ? -1 : 1))

  return [
    ...family(
      'ingot_instance_up',
      'gauge',
      'Whether it is running: 1, or 0.',
      rows.map(row => [labelsOf(row), row.status === 'running' ? 1 : 0] as const),
    ),
    ...Object.entries(metrics).flatMap(([name, { type, help, value }]) =>
      family(
        name,
        type,
        help,
        seen.map(({ labels, reading }) => [labels, value(reading)] as const),
      ),
    ),
    ...Object.entries(cardMetrics).flatMap(([name, { type, help, value }]) =>
      family(
        name,
        type,
        help,
        seen.flatMap(({ labels, reading }) =>
          reading.cards.map(
            (card, index) => [{ ...labels, card: String(index), uuid: card.uuid }, value(card)] as const,
          ),
        ),
      ),
    ),
  ].join('')
}

type Labels = ReturnType<typeof labelsOf>
const labelsOf = ({ id, name, region, gpu_type, shell }: Row) => ({
  instance_id: id,
  name,
  region,
  gpu_type,
  simulated: String(shell === 'simulated'),
})

function family(
  name: string,
  type: Metric['type'],
  help: string,
  samples: readonly (readonly [Readonly<Record<string, string>>, Value])[],
): string[] {
  const lines = samples.flatMap(([labels, value]) =>
    value === null || value === undefined ? [] : [`${name}{${labelText(labels)}} ${value}\n`],
  )
  return lines.length ? [`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`, ...lines] : []
}

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')

/** The format's own three, and no other control character: some readers take one for the end of a line. */
const escaped = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/g, ' ')
