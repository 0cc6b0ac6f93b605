/**
 * The validators of `/v1`. Bodies are taken as they are (`null` is not 0, "1" is not 1, an unknown field is an error
 * with its name); path and query arrive as text and are coerced. Messages name the field and what it should be.
 */
import { IngotError } from '@ingot/contracts/errors'
import { Ajv, type ErrorObject } from 'ajv'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { JsonSchema } from './schema.ts'

const common = { removeAdditional: false, useDefaults: true, strict: false } as const
const addFormats = formats as unknown as typeof formats.default

/** All of a body's errors at once; but a huge value is judged by its length before its pattern is tried. */
const body = addFormats(new Ajv({ ...common, coerceTypes: false, allErrors: true, verbose: true }))
const text = addFormats(new Ajv({ ...common, coerceTypes: 'array', allErrors: true, verbose: true }))

export const compileValidator: FastifySchemaCompiler<JsonSchema> = ({ schema, httpPart }) => {
  const validate = (httpPart === 'body' ? body : text).compile(schema)
  return data => {
    // Fastify says null for no body.
    const value: unknown = httpPart === 'body' ? (data ?? {}) : data
    const fields = validate(value) ? unstorable(value) : fieldErrors(validate.errors ?? [])
    return fields ? { error: new IngotError('validation_failed', { fields }) } : { value }
  }
}

/** The fields whose text PostgreSQL refuses to store: it holds NUL or half a surrogate pair. */
function unstorable(value: unknown): Record<string, string> | null {
  const fields: Record<string, string> = {}
  const look = (inner: unknown, path: string): void => {
    if (typeof inner === 'string') {
      if (!isStorable(inner)) fields[path] = 'holds characters that cannot be stored'
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [name, each] of Object.entries(inner)) {
        look(name, path || name)
        look(each, path ? `${path}.${name}` : name)
      }
    }
  }
  look(value, '')
  return Object.keys(fields).length ? fields : null
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export function fieldErrors(errors: readonly ErrorObject[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const error of errors) {
    const parent = error.instancePath.slice(1).replaceAll('/', '.')
    const child =
      (error.params as { missingProperty?: string; additionalProperty?: string }).missingProperty ??
      (error.params as { additionalProperty?: string }).additionalProperty
    const field = [parent, child?.slice(0, 60)].filter(Boolean).join('.') || 'body'
    fields[field] ??= explain(error)
  }
  return fields
}

function explain({ keyword, params, schema }: ErrorObject): string {
  const p = params as Record<string, unknown>
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not a field of this call'
    case 'enum':
      return `must be one of ${(schema as unknown[]).map(String).join(', ')}`
    case 'const':
      return `must be ${String(schema)}`
    case 'type':
      return `must be ${Array.isArray(p['type']) ? p['type'].join(' or ') : String(p['type'])}`
    case 'maxLength':
      return `may have at most ${String(p['limit'])} characters`
    case 'minLength':
      return Number(p['limit']) === 1
        ? 'must not be empty'
        : `must have at least ${String(p['limit'])} characters`
    case 'minimum':
      return `must be at least ${String(p['limit'])}`
    case 'maximum':
      return `must be at most ${String(p['limit'])}`
    case 'exclusiveMinimum':
      return `must be more than ${String(p['limit'])}`
    case 'format':
      if (p['format'] === 'email') return 'must be an email address'
      return p['format'] === 'uuid' ? 'must be an id' : `must be a ${String(p['format'])}`
    case 'pattern':
      return p['pattern'] === '\\S' ? 'must not be blank' : 'has the wrong form'
    default:
      return 'has the wrong form'
  }
}
