import { useEffect, useState } from 'react'
import { useSignInRules } from '../session/auth-settings.ts'

/** Why another mail cannot be asked for yet; null when it can. `sent` starts the pause. */
export function useSpaced(): { readonly wait: string | null; readonly sent: () => void } {
  const [sentAt, setSentAt] = useState<number | null>(null)
  const { mailSpacingSeconds: seconds } = useSignInRules()
  useEffect(() => {
    if (sentAt === null) return
    const timer = setTimeout(() => setSentAt(null), seconds * 1000)
    return () => clearTimeout(timer)
  }, [sentAt, seconds])
  return {
    wait:
      sentAt === null
        ? null
        : `Another one can be sent ${seconds === 60 ? 'a minute' : `${seconds} seconds`} after the last`,
    sent: () => setSentAt(Date.now()),
  }
}
