import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { auth } from '../session/auth.tsx'
import { confirmationTarget } from '../session/link-targets.ts'
import { failureOf } from '../session/auth-failure.ts'

interface ResendConfirmationProps {
  readonly email: string
}

/** Sends the confirmation once more. The service answers the same for every address, so nothing more can be said. */
export function ResendConfirmation({ email }: ResendConfirmationProps) {
  const [isBusy, setBusy] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  const send = async () => {
    setBusy(true)
    const { error } = await auth.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: confirmationTarget() },
    })
    setBusy(false)
    setSaid(
      error
        ? failureOf(error).message
        : `A new link is on its way to ${email}, if that address waits for one. Earlier links stop working.`,
    )
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        onClick={() => void send()}
        busy={isBusy}
        busyLabel="Sending..."
        disabledReason={email ? null : 'Enter your email first'}
      >
        Send the mail again
      </Button>
      <p aria-live="polite" className="text-label font-normal text-muted empty:hidden">
        {said}
      </p>
    </div>
  )
}
