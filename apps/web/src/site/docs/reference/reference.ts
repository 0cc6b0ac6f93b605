/**
 * The API reference, made from the OpenAPI document that the server answers: one page a noun, one entry an operation,
 * with its fields flattened to lines and one request in each tool.
 */
import { api } from '@ingot/contracts/api'
import { type JsonSchema, jsonSchemaOf } from '@ingot/contracts/json-schema'
import { openapi } from '@ingot/contracts/openapi'
import { inQuery, needsCaller, type Operation, pathKeys, takesKey } from '@ingot/contracts/operation'
import { sampleInput, sampleOf } from './samples.ts'

export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** Limits and choices, in words. */
  readonly note: string
}

export interface Failure {
  readonly status: string
  readonly codes: readonly { readonly code: string; readonly text: string }[]
}

export interface Entry {
  readonly id: string
  /** Anchor on its page. */
  readonly anchor: string
  readonly noun: string
  /** The SDK's method: `instances.create`. */
  readonly sdk: string
  readonly method: Operation['method']
  readonly path: string
  readonly summary: string
  readonly caller: 'nobody' | 'key' | 'session'
  readonly onlyFor: string | null
  readonly inPath: readonly Field[]
  readonly inQuery: readonly Field[]
  readonly inBody: readonly Field[]
  /** Its body is no JSON, but a file or a piece of one. */
  readonly takesBytes: boolean
  readonly answers: readonly Field[]
  /** Of the file that it answers; null: it answers JSON. */
  readonly mediaTypes: readonly string[] | null
  readonly status: number
  readonly sampleInput: Readonly<Record<string, unknown>>
  /** Of JSON only. */
  readonly sampleAnswer: unknown
  readonly failures: readonly Failure[]
}

/** Where the noun with a capital is not what a reader would call it. */
const titles: Partial<Record<keyof typeof api, string>> = {
  accounts: 'Account',
  admin: 'Administration',
  catalog: 'Catalogue',
  site: 'Public site',
}
const titleOf = (noun: string): string =>
  titles[noun as keyof typeof api] ?? noun.charAt(0).toUpperCase() + noun.slice(1)

type Document = {
  readonly paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>
}
const document = openapi('') as unknown as Document

const { dev: _, ...nouns } = api

export const apiNouns: readonly { noun: string; title: string; entries: readonly Entry[] }[] = Object.entries(
  nouns,
).map(([noun, operations]) => ({
  noun,
  title: titleOf(noun),
  entries: Object.entries(operations as Record<string, Operation>).map(([name, op]) =>
    describe(noun, name, op),
  ),
}))

function describe(noun: string, name: string, op: Operation): Entry {
  const { responses } = document.paths[op.path]![op.method.toLowerCase()]!
  const inPath = pathKeys(op.path)
  const input = fieldsOf(jsonSchemaOf(op.input, 'input', 'draft-2020-12'))
  const rest = input.filter(field => !inPath.includes(field.name))
  const isFile = op.transport === 'bytes'
  const output = isFile ? {} : jsonSchemaOf(op.output, 'output', 'draft-2020-12')
  return {
    id: op.id,
    anchor: name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`),
    noun,
    sdk: `${noun}.${name}`,
    method: op.method,
    path: op.path,
    summary: op.summary,
    caller: !needsCaller(op.who) ? 'nobody' : takesKey(op.who) ? 'key' : 'session',
    onlyFor: onlyFor(op),
    inPath: input.filter(field => inPath.includes(field.name)),
    inQuery: inQuery(op) ? rest : [],
    inBody: inQuery(op) ? [] : rest,
    takesBytes: op.transport === 'upload',
    answers: fieldsOf(output),
    mediaTypes: isFile ? op.mediaTypes : null,
    status: op.status,
    sampleInput: sampleInput(op),
    sampleAnswer: isFile ? null : sampleOf('', output),
    failures: Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => ({
        status,
        codes: description.split('\n\n').map(line => {
          const [, code, text] = /^`(\w+)`: (.*)$/s.exec(line) ?? []
          return { code: code ?? '', text: text ?? line }
        }),
      })),
  }
}

function onlyFor({ who }: Operation): string | null {
  if (who === 'admin') return 'Administrators'
  return who === 'staff' ? 'Moderators and administrators' : null
}

/** A nullable type is one type; what else may stand there is said in words. */
function solid(schema: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const types = schema['type']
  if (Array.isArray(types)) {
    const type = types.find(each => each !== 'null') as string
    return { schema: { ...schema, type }, nullable: types.includes('null') }
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (!options) return { schema, nullable: false }
  const rest = options.filter(option => option['type'] !== 'null')
  const found =
    rest.length === 1
      ? rest[0]!
      : { type: 'string', enum: rest.flatMap(option => (option['enum'] as unknown[]) ?? [option['const']]) }
  return { schema: found, nullable: rest.length < options.length }
}

function fieldsOf(schema: JsonSchema, prefix = '', depth = 0): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, raw]) => {
    const { schema: property, nullable } = solid(raw)
    const name = prefix + key
    const items = property['items'] as JsonSchema | undefined
    const field: Field = {
      name,
      type: `${typeOf(property)}${nullable ? ' or null' : ''}`,
      required: (schema.required ?? []).includes(key),
      note: noteOf(property),
    }
    if (depth > 2) return [field]
    if (items?.properties) return [field, ...fieldsOf(items, `${name}[].`, depth + 1)]
    if (property.properties) return [field, ...fieldsOf(property, `${name}.`, depth + 1)]
    return [field]
  })
}

function typeOf(schema: JsonSchema): string {
  if (schema['format'] === 'uuid') return 'uuid'
  if (schema['format'] === 'date-time') return 'time'
  if (isMoney(schema)) return 'money'
  const items = schema['items'] as JsonSchema | undefined
  if (items) return `list of ${typeOf(items)}s`
  if (schema['type'] === undefined) return typeof ((schema['enum'] as unknown[])?.[0] ?? schema['const'])
  return String(schema['type'])
}

function isMoney(schema: JsonSchema): boolean {
  return String(schema['pattern'] ?? '').includes('{6}')
}

function noteOf(schema: JsonSchema): string {
  const choices =
    (schema['enum'] as unknown[] | undefined) ?? ('const' in schema ? [schema['const']] : undefined)
  const { minimum, maximum, minLength, maxLength } = schema as Record<string, number | undefined>
  // JSON Schema gives every whole number the limits of a double.
  const known = (limit: number | undefined) =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER
  return [
    choices ? `one of ${choices.map(choice => JSON.stringify(choice) ?? '').join(', ')}` : '',
    known(minimum) && known(maximum) ? `${minimum} to ${maximum}` : '',
    known(minimum) && !known(maximum) ? `at least ${minimum}` : '',
    minLength !== undefined ? `at least ${minLength} characters` : '',
    maxLength !== undefined ? `at most ${maxLength} characters` : '',
    schema['default'] !== undefined ? `default ${JSON.stringify(schema['default'])}` : '',
  ]
    .filter(Boolean)
    .join('; ')
}
