/**
 * How the console's calls reach the service. In a tab that acts as a customer each says so. One that is refused until its
 * caller has shown who they are is made again when they have, with the token of the session as it is then.
 */
import { actingHeader } from '@ingot/contracts/operation'
import { accessToken } from '../session/auth.tsx'
import { actingAs, leaveActing } from './acting.ts'
import { askForProof } from './proof.ts'

/** What begins, tells and ends acting is the administrator's own; the clock and the mails of a test cloud are nobody's. */
const isAside = (input: RequestInfo | URL): boolean =>
  /^\/(v1\/admin\/acting|dev\/api\/(clock|mail))/.test(String(input))

export const guardedFetch: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers)
  const acting = actingAs()
  if (acting && !isAside(input)) headers.set(actingHeader, acting.user_id)
  const response = await fetch(input, { ...init, headers })
  if (response.status !== 403) return response
  const code = await codeOf(response)
  if (code === 'acting_ended') leaveActing()
  if (code !== 'proof_required' || !(await askForProof())) return response
  headers.set('authorization', `Bearer ${await accessToken()}`)
  return fetch(input, { ...init, headers })
}

async function codeOf(response: Response): Promise<string | undefined> {
  try {
    return ((await response.clone().json()) as { error?: { code?: string } }).error?.code
  } catch {
    return undefined
  }
}
