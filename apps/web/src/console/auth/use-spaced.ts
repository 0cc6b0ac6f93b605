import { messageSpacingSeconds } from '@ingot/contracts/accounts'
import { useEffect, useState } from 'react'

/** Why another mail cannot be asked for yet; null when it can. `sent` starts the minute. */
export function useSpaced(): { readonly wait: string | null; readonly sent: () => void } {
  const [sentAt, setSentAt] = useState<number | null>(null)
  useEffect(() => {
    if (sentAt === null) return
    const timer = setTimeout(() => setSentAt(null), messageSpacingSeconds * 1000)
    return () => clearTimeout(timer)
  }, [sentAt])
  return {
    wait: sentAt === null ? null : 'Another one can be sent a minute after the last',
    sent: () => setSentAt(Date.now()),
  }
}
