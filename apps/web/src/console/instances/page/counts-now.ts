import type { Idleness } from '@ingot/contracts/instance/idle'

/** The service looks each half minute: a sign that was seen by one of the last three looks counts now. */
const freshMs = 90_000

export const countsNow = (
  { state }: Pick<Idleness, 'state'>,
  { watched, last_at }: Pick<Idleness['signals'][number], 'watched' | 'last_at'>,
  now: Date,
): boolean =>
  watched && state === 'working' && last_at !== null && now.getTime() - Date.parse(last_at) <= freshMs
