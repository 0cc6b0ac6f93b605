/**
 * Contract schemas as the JSON Schemas that Fastify compiles: once, at start. Throws for anything JSON Schema cannot
 * say (a transform or refine would pass silently on input), so a bad contract stops the server before it listens.
 */
import { type InputSchemas, inputSchemas, type JsonSchema, jsonSchemaOf } from '@ingot/contracts/json-schema'
import type { Operation } from '@ingot/contracts/operation'

export type { JsonSchema }

export interface RouteSchemas extends InputSchemas {
  /** By status; none where the answer is no JSON. */
  readonly response: Readonly<Record<number, JsonSchema>>
}

export function routeSchemas(op: Operation): RouteSchemas {
  if (op.transport === 'bytes') return { ...inputSchemas(op), response: {} }
  const output = serializable(jsonSchemaOf(op.output, 'output'), op.id)
  return { ...inputSchemas(op), response: { [op.status]: output } }
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
