/**
 * What step 2 of the sign-up asked, kept in this browser until there is a session to save it with. Only known values
 * come out again: the text lies where anybody on this machine can write it. The plan is the server's to set.
 */
import { jobRoles, maxProfileText, type Profile, useCaseIds } from '@ingot/contracts/accounts'

const key = 'pending-profile'
const defaultPlan = 'Free'

export interface PendingProfile {
  readonly company: string
  readonly role: (typeof jobRoles)[number] | ''
  readonly use_case: (typeof useCaseIds)[number] | ''
  readonly plan_name: Profile['plan_name']
  /** Whose it is; another account that signs in here does not get it. */
  readonly email?: string
}

export const emptyProfile: PendingProfile = { company: '', role: '', use_case: '', plan_name: defaultPlan }

/** Null for what is not one. */
export function parsePendingProfile(text: string): PendingProfile | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { company, role, use_case, plan_name, email } = value as Record<string, unknown>
  return {
    company: typeof company === 'string' ? company.slice(0, maxProfileText) : '',
    role: jobRoles.find(known => known === role) ?? '',
    use_case: useCaseIds.find(known => known === use_case) ?? '',
    plan_name: typeof plan_name === 'string' ? plan_name : defaultPlan,
    ...(typeof email === 'string' ? { email } : {}),
  }
}

export const savePendingProfile = (profile: PendingProfile): void =>
  localStorage.setItem(key, JSON.stringify(profile))

export const dropPendingProfile = (): void => localStorage.removeItem(key)

/** What cannot be read is discarded. */
export function readPendingProfile(): PendingProfile | null {
  const text = localStorage.getItem(key)
  if (text === null) return null
  const profile = parsePendingProfile(text)
  if (!profile) dropPendingProfile()
  return profile
}
