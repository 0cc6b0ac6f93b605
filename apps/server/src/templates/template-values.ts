/** What a call says of a template, as its row keeps it. What no schema can say is refused here, with its field. */
import { IngotError } from '@ingot/contracts/errors'
import type { Parsed } from '@ingot/contracts/operation'
import { templateLimits, type templates } from '@ingot/contracts/templates'
import { randomBytes } from 'node:crypto'
import type { Secrets } from './secrets.ts'

type Wish = Omit<Parsed<typeof templates.update>, 'id' | 'secrets' | 'registry_credentials'>

const shell = ['/bin/sh', '-c'] as const

/** The columns that the call sets; what it leaves out stays. */
export function templateValues({ start_command, visibility, env, ports, ...wish }: Wish) {
  const { name, description } = wish
  if (env) assertVariables('env', env)
  return {
    ...wish,
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(description === undefined ? {} : { description: description.trim() }),
    ...(env && { env: JSON.stringify(env) }),
    ...(ports && { ports: [...new Set(ports)] }),
    ...(start_command === undefined ? {} : { command: commandOf(start_command) }),
    ...(visibility === undefined ? {} : { link_key: visibility === 'link' ? newLinkKey() : null }),
  }
}

const newLinkKey = (): string => randomBytes(24).toString('base64url')

export const commandOf = (start: string | null): string[] | null =>
  start === null ? null : [...shell, start]

/** One that was not given as a text is shown as the text that does the same. */
export function startCommandOf(command: readonly string[] | null): string | null {
  if (command === null) return null
  const [program, option, text] = command
  const isText = command.length === 3 && program === shell[0] && option === shell[1]
  return isText ? text! : command.map(quoted).join(' ')
}

const quoted = (part: string): string =>
  /^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", String.raw`'\''`)}'`

export function assertVariables(field: 'env' | 'secrets', values: Secrets): void {
  const names = Object.keys(values)
  if (names.length > templateLimits.variables)
    throw refused(field, `has more than ${templateLimits.variables} names`)
  const bytes = Object.entries(values).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value),
    0,
  )
  if (bytes > templateLimits.values) throw refused(field, `is longer than ${templateLimits.values} bytes`)
}

/** A name is shown or it is sealed. */
export function assertApart(env: Secrets, secretNames: readonly string[]): void {
  const both = secretNames.find(name => Object.hasOwn(env, name))
  if (both !== undefined) throw refused('secrets', `${both} is among the variables that are shown too`)
}

export const refused = (field: string, message: string): IngotError =>
  new IngotError('validation_failed', { fields: { [field]: message } })
