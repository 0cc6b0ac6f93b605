/** The same act as a command: HTTP with curl, and the SDK. The key stands in it as `$INGOT_API_KEY`. */
import { instances } from '@ingot/contracts/instances'
import type { Operation } from '@ingot/contracts/operation'
import { pathKeys } from '@ingot/contracts/operation'
import type { Command } from '../../ui/CommandBlock.tsx'

type Call = keyof typeof instances
type Values = Readonly<Record<string, string | number | boolean | object | undefined>>

/** Between single quotes a shell reads everything as it is, except the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export function commandsFor(origin: string, call: Call, values: Values): readonly [Command, Command] {
  return [
    { tool: 'HTTP', text: curlFor(origin, call, values) },
    { tool: 'JavaScript', text: script(origin, call, givenOf(values)) },
  ]
}

/** The first of them alone, for where several acts stand beside each other. */
export const curlFor = (origin: string, call: Call, values: Values): string =>
  curl(origin, instances[call], givenOf(values))

const givenOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

function curl(origin: string, op: Operation, values: Values): string {
  const inPath = pathKeys(op.path)
  const path = op.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])))
  const rest = Object.entries(values).filter(([key]) => !inPath.includes(key))
  const isRead = op.method === 'GET'
  const query = new URLSearchParams(
    rest.map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
  const url = origin + path + (isRead && query ? `?${query}` : '')
  const lines = [
    `curl ${isRead ? '' : `-X ${op.method} `}${/^[\w:/.-]+$/.test(url) ? url : quoted(url)}`,
    '-H "Authorization: Bearer $INGOT_API_KEY"',
  ]
  if (!isRead && rest.length > 0) {
    lines.push('-H "Content-Type: application/json"')
    lines.push(`-d ${quoted(JSON.stringify(Object.fromEntries(rest), null, 2))}`)
  }
  return lines.join(' \\\n  ')
}

/** What a call answers, where that is no instance. */
const answers: Partial<Record<Call, string>> = {
  list: '{ items }',
  idleness: 'idleness',
  schedules: '{ items }',
  createSchedule: 'schedule',
  updateSchedule: 'schedule',
}

function script(origin: string, call: Call, values: Values): string {
  const entries = Object.entries(values).map(([key, value]) => `  ${key}: ${JSON.stringify(value)},\n`)
  const input = entries.length > 0 ? `{\n${entries.join('')}}` : ''
  return [
    `import { createClient } from '@ingot/sdk/client'`,
    '',
    `const client = createClient({`,
    `  baseUrl: ${JSON.stringify(origin)},`,
    `  token: () => process.env.INGOT_API_KEY,`,
    `})`,
    `const ${answers[call] ?? 'instance'} = await client.instances.${call}(${input})`,
  ].join('\n')
}
