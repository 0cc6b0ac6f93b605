/**
 * Why the chain could not be read. Nodes answer errors with status 200, with bare text and with half a document, so
 * everything that is not provably the data asked for becomes one of these and never reaches the caller as data.
 */
export const readFailures = [
  'limited',
  'unavailable',
  'malformed',
  'refused',
  'too_large',
  'lagging',
  'disputed',
  'discontinuity',
] as const

/**
 * `limited`: the provider asks for patience. `unavailable`: no answer, or one that says "not now". `malformed`: an
 * answer that is not what was asked. `refused`: this endpoint will never answer that; someone must look at the
 * configuration. `too_large`: ask for less. `lagging`: the node has not got that far. `disputed`: two answers of the
 * endpoint contradict each other. `discontinuity`: the chain read is not the one read before. The last two need a
 * person.
 */
export type ReadFailure = (typeof readFailures)[number]

export class ReadError extends Error {
  readonly failure: ReadFailure
  /** How long the provider asked to be left alone, when it said so. */
  readonly retryMs: number | null

  constructor(failure: ReadFailure, message: string, retryMs: number | null = null) {
    super(message)
    this.name = 'ReadError'
    this.failure = failure
    this.retryMs = retryMs
  }
}

/** A ReadError as a value, for callers that go on with their work. */
export interface Stopped {
  readonly kind: 'stopped'
  readonly why: ReadFailure
  /** For the operator's log. */
  readonly message: string
  readonly retryMs: number | null
}

/** Anything but a ReadError is a bug and is thrown again. */
export function stopped(error: unknown): Stopped {
  if (!(error instanceof ReadError)) throw error
  return { kind: 'stopped', why: error.failure, message: error.message, retryMs: error.retryMs }
}
