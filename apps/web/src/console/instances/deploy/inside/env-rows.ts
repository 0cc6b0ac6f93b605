/** The variables of a deploy as rows of a form. They stand in no address: a reload forgets them. */
import { templateLimits } from '@ingot/contracts/templates'
import { nameForm, readVariables } from '../../../templates/template-text.ts'

export interface EnvRow {
  /** Of the row, whatever is in it. */
  readonly id: number
  readonly name: string
  readonly value: string
}

let last = 0
export const envRow = (name = '', value = ''): EnvRow => ({ id: ++last, name, value })

interface Read {
  readonly env: Readonly<Record<string, string>>
  /** By row. */
  readonly wrong: ReadonlyMap<number, { readonly name?: string; readonly value?: string }>
  /** Of all together. */
  readonly error: string | null
}

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** Rows without name and value are not there. The limits are the service's own. */
export function readEnv(rows: readonly EnvRow[]): Read {
  const filled = rows.filter(({ name, value }) => name.trim() || value)
  const wrong = new Map<number, { name?: string; value?: string }>()
  const seen = new Set<string>()
  let sum = 0
  for (const { id, name: typed, value } of filled) {
    const name = typed.trim()
    sum += name.length + bytes(value)
    if (!name) wrong.set(id, { name: 'A value needs a name.' })
    else if (!nameForm.test(name))
      wrong.set(id, { name: 'Letters, digits and underscores, no digit first, at most 100.' })
    else if (seen.has(name)) wrong.set(id, { name: `${name} is there twice.` })
    else if (value.length > templateLimits.value)
      wrong.set(id, { value: `At most ${templateLimits.value} letters.` })
    seen.add(name)
  }
  const error =
    filled.length > templateLimits.variables
      ? `At most ${templateLimits.variables} variables; there are ${filled.length}.`
      : sum > templateLimits.values
        ? `At most ${templateLimits.values} bytes together; there are ${sum}.`
        : null
  return { env: Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value])), wrong, error }
}

/** Whether what is pasted into a row is lines of variables, and no part of a name or value. */
export const isLines = (text: string, into: 'name' | 'value'): boolean =>
  /[\r\n]/.test(text.trim()) || (into === 'name' && text.includes('='))

/** The rows with what was pasted: a name that is there gets its new value. Or what is wrong with the text. */
export function withPasted(rows: readonly EnvRow[], text: string): readonly EnvRow[] | string {
  const read = readVariables(text.replaceAll(/^\s*export\s+/gm, ''))
  if (typeof read === 'string') return read
  const known = rows.filter(({ name, value }) => name.trim() || value)
  const changed = known.map(row =>
    Object.hasOwn(read, row.name.trim()) ? { ...row, value: read[row.name.trim()]! } : row,
  )
  const added = Object.entries(read)
    .filter(([name]) => !known.some(row => row.name.trim() === name))
    .map(([name, value]) => envRow(name, value))
  return [...changed, ...added]
}

/** What the service said of variables, by field. */
export const saidOfEnv = (errors: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(errors)
    .filter(([field]) => field === 'env' || field.startsWith('env.'))
    .map(([field, text]) => (field === 'env' ? `All of them: ${text}.` : `${field.slice(4)} ${text}.`))
    .join(' ') || undefined
