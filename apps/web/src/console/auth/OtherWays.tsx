import type { Provider } from '@supabase/auth-js'
import { Button } from '../../ui/Button.tsx'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { useSignInWays } from '../session/auth-settings.ts'
import type { Refusal } from '../session/auth-failure.ts'

interface OtherWaysProps {
  readonly target: string
  /** Called before the browser leaves: the choice of where the session is kept must stand by then. */
  readonly onLeave: () => void
  readonly onSso: () => void
  readonly onRefused: (error: Refusal) => void
}

/** The providers that this service has switched on. Where it has none, nothing stands here. */
export function OtherWays({ target, onLeave, onSso, onRefused }: OtherWaysProps) {
  const { providers, hasSso } = useSignInWays()
  const offline = useOfflineReason()
  const go = async (provider: string) => {
    onLeave()
    const { error } = await auth.signInWithOAuth({
      provider: provider as Provider,
      options: { redirectTo: target },
    })
    if (error) onRefused(error)
  }
  return (
    <>
      {providers.map(({ id, name }) => (
        <Button key={id} size="l" onClick={() => void go(id)} disabledReason={offline}>
          Continue with {name}
        </Button>
      ))}
      {hasSso && (
        <Button size="l" onClick={onSso} disabledReason={offline}>
          Single sign-on by work email
        </Button>
      )}
    </>
  )
}
