/**
 * Every way a `/v1` or `/dev` request can fail, as one body. An unexpected error is logged whole; only its request id
 * is shown.
 */
import { type ErrorBody, IngotError } from '@ingot/contracts/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'

export function toIngotError(error: unknown): IngotError {
  if (error instanceof IngotError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new IngotError('body_too_large')
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new IngotError('bad_json')
  }
  if (statusCode === 400) return new IngotError('bad_json')
  return new IngotError(databaseGone(error) ? 'unavailable' : 'internal')
}

/** PostgreSQL is starting, stopping or out of reach. */
function databaseGone(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return (
    /^(57P0[123]|08\w{3}|53300|ECONNREFUSED|ECONNRESET|ENOENT)$/.test(code ?? '') ||
    /Connection terminated|timeout exceeded when trying to connect/.test(message ?? '')
  )
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toIngotError(error)
  // Maintenance is meant.
  if (known.status >= 500 && known.code !== 'maintenance') request.log.error({ err: error }, 'request failed')
  const body: ErrorBody = {
    error: {
      code: known.code,
      message: known.message,
      ...(known.fields ? { fields: known.fields } : {}),
      request_id: request.id,
    },
  }
  if (known.retryAfterSeconds !== undefined) void reply.header('retry-after', known.retryAfterSeconds)
  void reply.code(known.status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
}
