/**
 * Contract schemas as the JSON Schemas that Fastify compiles: once, at start. Throws for anything JSON Schema cannot say
 * (a transform or refine would pass silently on input), so a bad contract stops the server before it listens.
 */
import { type Operation, pathKeys } from '@ingot/contracts/operation'
import { toJSONSchema } from 'zod/v4/core'

export interface JsonSchema {
  [key: string]: unknown
  properties?: Record<string, JsonSchema>
  required?: string[]
}

export interface RouteSchemas {
  readonly params?: JsonSchema
  readonly querystring?: JsonSchema
  readonly body?: JsonSchema
  readonly response: JsonSchema
}

export type Target = 'draft-7' | 'draft-2020-12'

export function jsonSchemaOf(
  schema: Operation['input'] | Operation['output'],
  io: 'input' | 'output',
  target: Target = 'draft-7',
): JsonSchema {
  const { $schema: _, ...json } = toJSONSchema(schema, { target, io, unrepresentable: 'throw' }) as JsonSchema
  return json
}

/** Fields in the path, in the query (GET, DELETE) and in the body (the rest), each a closed object. */
export function inputSchemas(
  op: Operation,
  target: Target = 'draft-7',
): Pick<RouteSchemas, 'params' | 'querystring' | 'body'> {
  const whole = jsonSchemaOf(op.input, 'input', target)
  const inPath = pathKeys(op.path)
  for (const key of inPath) {
    if (!whole.properties?.[key])
      throw new Error(`${op.id}: the path names {${key}} but the input has no such field`)
  }
  const params = inPath.length ? { params: part(whole, key => inPath.includes(key)) } : {}
  const rest = part(whole, key => !inPath.includes(key))
  return op.method === 'GET' || op.method === 'DELETE'
    ? { ...params, querystring: rest }
    : { ...params, body: rest }
}

function part(whole: JsonSchema, keep: (key: string) => boolean): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(whole.properties ?? {}).filter(([key]) => keep(key))),
    required: (whole.required ?? []).filter(keep),
    additionalProperties: false,
  }
}

export function routeSchemas(op: Operation): RouteSchemas {
  return { ...inputSchemas(op), response: serializable(jsonSchemaOf(op.output, 'output'), op.id) }
}

/** Keys that only a validator reads: the serializer would spend time on them. */
const validatorOnly = new Set([
  'pattern',
  'format',
  'enum',
  'const',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'default',
])

/**
 * A response schema for the serializer: types alone. `nullable` unions become a list of types; any other union is
 * refused, because there an unexpected column would be a 500 at run time.
 */
function serializable(schema: JsonSchema, where: string): JsonSchema {
  const union = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (union) {
    const solid = union.filter(option => option['type'] !== 'null')
    if (solid.length !== 1) throw new Error(`${where}: a response holds a union`)
    const inner = serializable(solid[0]!, where)
    return solid.length === union.length ? inner : { ...inner, type: [inner['type'], 'null'] }
  }
  if (schema['type'] === undefined && (schema['const'] !== undefined || schema['enum']))
    return { type: 'string' }
  const result: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (validatorOnly.has(key)) continue
    if (key === 'properties') {
      result.properties = Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>).map(([name, inner]) => [
          name,
          serializable(inner, `${where}.${name}`),
        ]),
      )
    } else if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) {
      result[key] = serializable(value as JsonSchema, `${where}.${key}`)
    } else if (key !== 'propertyNames') {
      result[key] = value
    }
  }
  return result
}
