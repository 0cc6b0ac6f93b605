/**
 * Who is signed in, by the real client of the auth service. The session is the server's: here is only its copy, checked
 * once at start (`isLoading` until then), renewed before it ends, and dropped when the server says so.
 */
import { AuthClient, type Session, type User } from '@supabase/auth-js'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { sessionStore } from './session-store.ts'

export const auth = new AuthClient({
  url: `${location.origin}/auth/v1`,
  storageKey: 'ingot-session',
  storage: sessionStore,
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
  flowType: 'implicit',
})

export const accessToken = async (): Promise<string | null> =>
  (await auth.getSession()).data.session?.access_token ?? null

interface AuthState {
  readonly session: Session | null
  readonly user: User | null
  readonly isLoading: boolean
}

const AuthContext = createContext<AuthState | null>(null)

export function AuthProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<Session | null>(null)
  const [isLoading, setLoading] = useState(true)
  useEffect(() => {
    const { data } = auth.onAuthStateChange((_event, next) => {
      setSession(next)
      setLoading(false)
    })
    return () => data.subscription.unsubscribe()
  }, [])
  const state = useMemo(() => ({ session, user: session?.user ?? null, isLoading }), [session, isLoading])
  return <AuthContext.Provider value={state}>{children}</AuthContext.Provider>
}

export function useAuth(): AuthState {
  const state = useContext(AuthContext)
  if (!state) throw new Error('useAuth must be used within an AuthProvider')
  return state
}
