/** An act as a command: HTTP with curl, and the SDK. The key stands in it as `$INGOT_API_KEY`. */
import { type Operation, pathKeys } from '@ingot/contracts/operation'
import type { Command } from '../../ui/CommandBlock.tsx'

export type CallValues = Readonly<Record<string, string | number | boolean | object | null | undefined>>

/** Between single quotes a shell reads everything as it is, except the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A value that whoever runs the command has in a variable of that name, such as a secret: the text does not have it. */
export const fromShell = (name: string): string => `\uE000${name}\uE001`
const inShell = (text: string): string => text.replaceAll(/\uE000(\w+)\uE001/g, `'"$$$1"'`)
const inScript = (text: string): string => text.replaceAll(/"\uE000(\w+)\uE001"/g, 'process.env.$1')

/** `call`: as the SDK has it, `instances.create`; `answer`: what its answer is bound to. */
export function callText(
  origin: string,
  op: Operation,
  { call, answer }: { readonly call: string; readonly answer: string },
  values: CallValues,
): readonly [Command, Command] {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  return [
    { tool: 'HTTP', text: curl(origin, op, given) },
    { tool: 'JavaScript', text: script(origin, call, answer, given) },
  ]
}

function curl(origin: string, op: Operation, values: CallValues): string {
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
    lines.push(`-d ${inShell(quoted(JSON.stringify(Object.fromEntries(rest), null, 2)))}`)
  }
  return lines.join(' \\\n  ')
}

function script(origin: string, call: string, answer: string, values: CallValues): string {
  const entries = Object.entries(values).map(
    ([key, value]) => `  ${key}: ${inScript(JSON.stringify(value))},\n`,
  )
  const input = entries.length > 0 ? `{\n${entries.join('')}}` : ''
  return [
    `import { createClient } from '@ingot/sdk/client'`,
    '',
    `const client = createClient({`,
    `  baseUrl: ${JSON.stringify(origin)},`,
    `  token: () => process.env.INGOT_API_KEY,`,
    `})`,
    `const ${answer} = await client.${call}(${input})`,
  ].join('\n')
}
