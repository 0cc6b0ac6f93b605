import { IngotError } from '@ingot/contracts/errors'
import { api } from '../shell/api.ts'
import { dropPendingProfile, readPendingProfile } from './pending-profile.ts'

let applying: Promise<void> | null = null

/**
 * Saves what step 2 of the sign-up asked, now that its account is signed in. Throws when the service could not take it;
 * it then stays for the next time, unless the service will never take it.
 */
export function applyPendingProfile(email: string | undefined): Promise<void> {
  applying ??= apply(email).finally(() => (applying = null))
  return applying
}

async function apply(email: string | undefined): Promise<void> {
  const pending = readPendingProfile()
  if (!pending) return
  const { company, role, use_case } = pending
  if (pending.email !== undefined && pending.email !== email) return
  try {
    await api.accounts.update({ company, role, use_case })
  } catch (error) {
    if (error instanceof IngotError && error.code === 'validation_failed') dropPendingProfile()
    throw error
  }
  dropPendingProfile()
}
