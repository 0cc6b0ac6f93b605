/**
 * The API as an OpenAPI 3.1 document, for customers of other languages: an output of the operation objects. The server
 * answers it, and the API reference of the public site is made from it.
 */
import { apiKeyPrefix } from './accounts.ts'
import { api } from './api.ts'
import { errorBody, errors } from './errors.ts'
import { inputSchemas, type JsonSchema, jsonSchemaOf } from './json-schema.ts'
import { isOfStaff, needsCaller, type Operation, pathKeys, takesKey } from './operation.ts'

const always = ['validation_failed', 'rate_limited', 'internal'] as const

export function openapi(serverUrl: string): JsonSchema {
  const { dev: _, ...nouns } = api
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [noun, operations] of Object.entries(nouns)) {
    for (const op of Object.values(operations) as Operation[]) {
      paths[op.path] ??= {}
      paths[op.path]![op.method.toLowerCase()] = describe(noun, op)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ingot',
      version: '1',
      description: 'Money is a decimal string, times are RFC 3339 in UTC. Match error codes, never texts.',
    },
    servers: [{ url: serverUrl }],
    components: {
      securitySchemes: {
        session: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token of a signed-in session.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: `${apiKeyPrefix}…`,
          description: 'The API key of your account, from Settings. Calls that do not list it refuse it.',
        },
      },
      schemas: { Error: jsonSchemaOf(errorBody, 'output', 'draft-2020-12') },
    },
    paths,
  }
}

function describe(noun: string, op: Operation): Record<string, unknown> {
  const { params, querystring, body } = inputSchemas(op, 'draft-2020-12')
  const signedIn = needsCaller(op.who)
  return {
    operationId: op.id,
    tags: [noun],
    summary: op.summary,
    ...(signedIn ? { security: [{ session: [] }, ...(takesKey(op.who) ? [{ apiKey: [] }] : [])] } : {}),
    parameters: [
      ...parameters(params, 'path'),
      ...parameters(querystring, 'query'),
      ...(op.method === 'GET'
        ? []
        : [
            {
              name: 'Idempotency-Key',
              in: 'header',
              schema: { type: 'string', maxLength: 200 },
              description: 'Names this write: a retry with it within 30 days cannot happen twice.',
            },
          ]),
    ],
    ...(body && op.method !== 'GET' && Object.keys(body.properties ?? {}).length
      ? {
          requestBody: {
            required: (body.required ?? []).length > 0,
            content: { 'application/json': { schema: body } },
          },
        }
      : {}),
    ...(op.transport === 'upload'
      ? {
          requestBody: {
            required: true,
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
        }
      : {}),
    responses: {
      [op.status]: { description: 'Success', ...success(op) },
      ...failures(op, signedIn),
    },
  }
}

/** A file says its name in `Content-Disposition`. */
const success = (op: Operation): Record<string, unknown> =>
  op.transport === 'bytes'
    ? {
        headers: {
          'Content-Disposition': { schema: { type: 'string' }, description: 'The name of the file.' },
        },
        content: Object.fromEntries(
          op.mediaTypes.map(type => [type, { schema: { type: 'string', format: 'binary' } }]),
        ),
      }
    : { content: { 'application/json': { schema: jsonSchemaOf(op.output, 'output', 'draft-2020-12') } } }

const parameters = (schema: JsonSchema | undefined, where: 'path' | 'query') =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || (schema?.required ?? []).includes(name),
    schema: property,
  }))

function failures(op: Operation, signedIn: boolean): Record<string, unknown> {
  const codes = [
    ...op.errors,
    ...always,
    ...(signedIn ? (['not_authenticated', 'mfa_required'] as const) : []),
    ...(op.fresh ? (['proof_required'] as const) : []),
    ...(isOfStaff(op) && op.method !== 'GET' ? (['factor_required'] as const) : []),
    ...(signedIn && !takesKey(op.who) ? (['not_allowed'] as const) : []),
    ...(pathKeys(op.path).length ? (['not_found'] as const) : []),
  ]
  const byStatus = Object.groupBy([...new Set(codes)], code => errors[code][0])
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list]) => [
      status,
      {
        description: list!.map(code => `\`${code}\`: ${errors[code][1]}`).join('\n\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
