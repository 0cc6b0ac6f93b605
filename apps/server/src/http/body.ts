/** Bodies of `/v1`: JSON, or nothing where a call needs nothing. No bytes are no body, whatever type they claim. */
import type { FastifyInstance } from 'fastify'
import { IngotError } from '@ingot/contracts/errors'

export function takeBodies(app: FastifyInstance): void {
  const json = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else if (/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      json(request, body, done)
    else done(new IngotError('bad_json'))
  })
}
