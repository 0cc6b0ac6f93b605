/**
 * Reads request bodies as the service's clients send them: fields that the call does not know and nulls count as
 * absent, a value of another type is bad JSON. Every value has a longest length, so nothing large reaches a hash or the
 * database.
 */
import type { FastifyRequest } from 'fastify'
import { AuthError, invalid } from './errors.ts'

export interface Body {
  /** The field's text; empty when absent. */
  text(name: string, maxLength?: number): string
  has(name: string): boolean
  flag(name: string, absent: boolean): boolean
  /** A JSON object that PostgreSQL can store; null when absent. */
  object(name: string, maxBytes?: number): Record<string, unknown> | null
  /** A list of texts; null when absent. */
  texts(name: string, maxCount: number): string[] | null
}

/** Bytes of JSON. What a user stores about themselves travels in each access token, in a header. */
export const maxUserData = 4096

export function readBody(request: Pick<FastifyRequest, 'body'>): Body {
  const fields = parse(request.body)
  const get = (name: string): unknown => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null)
  return {
    has: name => get(name) !== null,
    flag(name, absent) {
      const value = get(name) ?? absent
      if (typeof value !== 'boolean') throw badJson(`${name} must be true or false`)
      return value
    },
    text(name, maxLength = 256) {
      const value = get(name)
      if (value === null) return ''
      if (typeof value !== 'string') throw badJson(`${name} must be a string`)
      if (value.length > maxLength) throw invalid(`${name} is too long (at most ${maxLength} characters)`)
      return value
    },
    object(name, maxBytes = maxUserData) {
      const value = get(name)
      if (value === null) return null
      if (!isRecord(value)) throw badJson(`${name} must be an object`)
      assertStorable(name, value, maxBytes)
      return value
    },
    texts(name, maxCount) {
      const value = get(name)
      if (value === null) return null
      if (!Array.isArray(value) || !value.every(each => typeof each === 'string'))
        throw badJson(`${name} must be a list of strings`)
      if (value.length > maxCount) throw invalid(`${name} is too long (at most ${maxCount})`)
      return value
    },
  }
}

const badJson = (why: string) =>
  new AuthError(400, 'bad_json', `Could not parse request body as JSON: ${why}`)

function parse(raw: unknown): Record<string, unknown> {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw badJson('it is empty')
  let value: unknown
  try {
    value = JSON.parse(raw.toString())
  } catch {
    throw badJson('it is not valid JSON')
  }
  if (value === null) return {}
  if (!isRecord(value)) throw badJson('it must be an object')
  return value
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** NUL and halves of surrogate pairs, which `jsonb` refuses; a doubled backslash before it is plain text. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

function assertStorable(name: string, value: Record<string, unknown>, maxBytes: number): void {
  const json = JSON.stringify(value)
  if (Buffer.byteLength(json) > maxBytes) throw invalid(`${name} is too large (at most ${maxBytes} bytes)`)
  if (unstorable.test(json)) throw invalid(`${name} holds characters that cannot be stored`)
}
