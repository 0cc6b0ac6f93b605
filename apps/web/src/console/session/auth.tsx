/**
 * Who is signed in, by the real client of the auth service. The session is the server's: here is only its copy, checked
 * once at start (`isLoading` until then), renewed before it ends, and dropped when the server says so. What was fetched
 * for one user is never shown to the next.
 */
import { AuthClient, type Session, type User } from '@supabase/auth-js'
import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { toast } from '../../ui/toast.ts'
// First of all: the client below clears the address.
import './arrival.ts'
import { deviceNumber } from './device-number.ts'
import { owesSecondFactor } from './second-factor.ts'
import { sessionStore } from './session-store.ts'

const device = deviceNumber()

export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  headers: device === null ? {} : { 'x-ingot-device': device },
  storageKey: 'ingot-session',
  storage: sessionStore,
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
  flowType: 'implicit',
  experimental: { recoveryCodes: true },
})

export const accessToken = async (): Promise<string | null> =>
  (await auth.getSession()).data.session?.access_token ?? null

let leaving = false
const whenLeaving = new Set<() => void>()
const setLeaving = (next: boolean): void => {
  leaving = next
  for (const changed of whenLeaving) changed()
}

/** While true, a missing session is no reason to ask for a sign-in. */
export const isSigningOut = (): boolean => leaving
export const useSigningOut = (): boolean =>
  useSyncExternalStore(changed => {
    whenLeaving.add(changed)
    return () => whenLeaving.delete(changed)
  }, isSigningOut)

/** Ends this browser's session. The copy here goes first, whatever the server answers. */
const dropSession = (): Promise<{ error: unknown }> =>
  auth.signOut({ scope: 'local' }).catch((error: unknown) => ({ error }))

/** Ends the session and leaves for the front page, which says so. When the service did not hear it, the sign-in page opens. */
export async function signOut(page = '/?account=signed-out'): Promise<void> {
  setLeaving(true)
  const { error } = await dropSession()
  if (!error) return leaveFor(page)
  console.warn('sign-out', error)
  setLeaving(false)
  toast.error('Error signing out')
}

/** After the account itself has ended: there is no session left whose end could fail. */
export async function leaveDeletedAccount(): Promise<void> {
  setLeaving(true)
  await dropSession()
  leaveFor('/?account=deleted')
}

function leaveFor(page: string): void {
  // A busy browser gives up the cross-fade half-way and reports that as an error nobody handled.
  window.addEventListener(
    'pageswap',
    ({ viewTransition }) => {
      viewTransition?.ready.catch(() => {})
      viewTransition?.skipTransition()
    },
    { once: true },
  )
  // Back from there may bring this very document again, as it was.
  window.addEventListener('pageshow', event => event.persisted && location.reload(), { once: true })
  location.assign(page)
}

interface AuthState {
  readonly session: Session | null
  readonly user: User | null
  readonly isLoading: boolean
  /** Signed in, but nothing is shown before the second factor. */
  readonly owesFactor: boolean
}

const AuthContext = createContext<AuthState | null>(null)

export function AuthProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<Session | null>(null)
  const [isLoading, setLoading] = useState(true)
  const client = useQueryClient()
  const userId = useRef<string | null>(null)
  useEffect(() => {
    const { data } = auth.onAuthStateChange((event, next) => {
      const id = next?.user.id ?? null
      if (userId.current !== null && userId.current !== id) client.clear()
      userId.current = id
      setSession(next)
      setLoading(false)
      // The role may have changed with the session. Deferred: the client waits for its subscribers.
      if (next) setTimeout(() => void client.invalidateQueries({ queryKey: ['accounts', 'role'] }))
      // A new password ends what the profile says of the old one.
      if (event === 'USER_UPDATED')
        setTimeout(() => void client.invalidateQueries({ queryKey: ['accounts', 'profile'] }))
    })
    return () => data.subscription.unsubscribe()
  }, [client])
  const state = useMemo(
    () => ({
      session,
      user: session?.user ?? null,
      isLoading,
      owesFactor: session !== null && owesSecondFactor(session),
    }),
    [session, isLoading],
  )
  return <AuthContext.Provider value={state}>{children}</AuthContext.Provider>
}

export function useAuth(): AuthState {
  const state = useContext(AuthContext)
  if (!state) throw new Error('useAuth must be used within an AuthProvider')
  return state
}
