import { type FormEvent, useRef, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { EmailField } from '../session/EmailField.tsx'
import { type Refusal, mailFailure, unexplained } from '../session/auth-failure.ts'
import { useSpaced } from './use-spaced.ts'

interface AskForMailProps {
  readonly email: string
  readonly onEmail: (email: string) => void
  readonly label: string
  readonly primary?: boolean
  readonly send: (email: string) => Promise<{ readonly error: Refusal | null }>
  /** Said for every address alike. */
  readonly sentText: (email: string) => string
}

/** An address and a button. The answer is the same whether the address has an account or not; what was typed stays. */
export function AskForMail({ email, onEmail, ...rest }: AskForMailProps) {
  const { label, primary = false, send, sentText } = rest
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [missing, setMissing] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const spaced = useSpaced()
  const offline = useOfflineReason()
  const address = email.trim()
  const isAgain = sentTo !== null && sentTo === address

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setMissing(!address)
    if (!address) return input.current?.focus()
    setBusy(true)
    const failed = await send(address).then(
      ({ error }) => mailFailure(error),
      () => mailFailure(unexplained),
    )
    setBusy(false)
    setProblem(failed)
    if (failed !== null) return
    setSentTo(address)
    spaced.sent()
  }

  return (
    <form noValidate onSubmit={event => void submit(event)} className="flex flex-col gap-4">
      {problem && <Band tone="danger">{problem}</Band>}
      <div aria-live="polite" className="empty:hidden">
        {!problem && sentTo !== null && <Band tone="info">{sentText(sentTo)}</Band>}
      </div>
      <EmailField
        ref={input}
        required
        value={email}
        onChange={event => {
          onEmail(event.target.value)
          setMissing(false)
        }}
        error={missing && 'Enter your email'}
      />
      <Button
        type="submit"
        variant={primary && !isAgain ? 'primary' : 'secondary'}
        size="l"
        busy={isBusy}
        busyLabel="Sending..."
        disabledReason={offline ?? (isAgain ? spaced.wait : null)}
      >
        {isAgain ? 'Send it again' : label}
      </Button>
    </form>
  )
}
