/**
 * Keeps sign-ins queued at the service for some seconds: each that is served is followed by another. It is a process of
 * its own, so that it does not delay whoever measures what others feel of it. Exits with 1 when one is refused.
 */
import autocannon from 'autocannon'
import { assertServed, signInAgain } from './auth.ts'

const [base, queued, seconds, ...emails] = process.argv.slice(2) as [string, string, string, ...string[]]
assertServed(
  await autocannon({
    ...signInAgain(base, emails),
    connections: Number(queued),
    duration: Number(seconds),
  }),
)
