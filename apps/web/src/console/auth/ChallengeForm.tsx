import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { CodeField } from '../session/CodeField.tsx'
import { takeFocus } from '../session/take-focus.ts'
import { factorName, type KnownFactor, kindOf, maskedPhone, plainCode } from '../session/factor-text.ts'
import { codeFailure, type Refusal, unexplained } from '../session/auth-failure.ts'
import { keysUnusable } from '../session/security-key.ts'
import { KeyChallenge } from './KeyChallenge.tsx'

interface ChallengeFormProps {
  readonly factors: readonly KnownFactor[]
  readonly onDone: () => void
}

/**
 * A code from one of the factors, or a key; the others are one press away. The client keeps the stronger session itself.
 */
export function ChallengeForm({ factors, onDone }: ChallengeFormProps) {
  const [chosen, setChosen] = useState(() => firstUsable(factors)?.id)
  const factor = factors.find(({ id }) => id === chosen)
  if (!factor) return <Band tone="danger">No second factor of this account can be used here.</Band>
  return (
    <div className="flex flex-col gap-4">
      {kindOf(factor) === 'webauthn' ? (
        <KeyChallenge key={factor.id} factor={factor} onDone={onDone} />
      ) : (
        <CodeChallenge key={factor.id} factor={factor} onDone={onDone} />
      )}
      {factors.length > 1 && (
        <ul aria-label="Other ways" className="flex flex-col items-start gap-1">
          {factors
            .filter(({ id }) => id !== chosen)
            .map(other => (
              <li key={other.id}>
                <button
                  type="button"
                  className="link inline-flex min-h-6 items-center"
                  onClick={() => setChosen(other.id)}
                >
                  Use {kindOf(other) === 'recovery_code' ? 'a recovery code' : factorName(other)} instead
                </button>
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}

/** A browser that has no keys to offer begins with something else. */
const firstUsable = (factors: readonly KnownFactor[]): KnownFactor | undefined =>
  factors.find(factor => kindOf(factor) !== 'webauthn' || keysUnusable() === null) ?? factors[0]

function CodeChallenge({ factor, onDone }: { readonly factor: KnownFactor; readonly onDone: () => void }) {
  const kind = kindOf(factor)
  const [code, setCode] = useState('')
  const [challengeId, setChallengeId] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const form = useId()
  const needsSending = kind === 'phone' && challengeId === null

  const run = async (act: () => Promise<Refusal | null>) => {
    setBusy(true)
    const refused = await act().catch(() => unexplained)
    setBusy(false)
    setProblem(refused && codeFailure(refused))
    if (!refused) return true
    document.getElementById(form)?.querySelector('input')?.select()
    return false
  }
  const sendMessage = () =>
    run(async () => {
      const { data, error } = await auth.mfa.challenge({ factorId: factor.id })
      if (data) setChallengeId(data.id)
      return error
    })
  const verify = async () => {
    const typed = plainCode(code)
    if (!typed) return setProblem('Enter the code')
    const isRight = await run(async () => {
      if (kind === 'recovery_code') return (await auth.mfa.recoveryCodes.verify({ code: typed })).error
      if (kind === 'phone')
        return (await auth.mfa.verify({ factorId: factor.id, challengeId: challengeId!, code: typed })).error
      return (await auth.mfa.challengeAndVerify({ factorId: factor.id, code: typed })).error
    })
    if (isRight) onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void (needsSending ? sendMessage() : verify())
  }

  return (
    <form id={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {needsSending ? (
        <>
          <p className="text-muted">We text a code to the phone that ends in {maskedPhone(factor.phone)}.</p>
          {problem && <Band tone="danger">{problem}</Band>}
        </>
      ) : (
        <CodeField
          label={kind === 'phone' || kind === 'recovery_code' ? labels[kind] : labels.totp}
          hint={kind === 'recovery_code' ? 'Each recovery code works once.' : undefined}
          error={problem}
          value={code}
          onChange={setCode}
          isText={kind === 'recovery_code'}
          takesFocus
        />
      )}
      <Button
        ref={needsSending ? takeFocus : undefined}
        type="submit"
        variant="primary"
        size="l"
        busy={isBusy}
        busyLabel={needsSending ? 'Sending...' : 'Checking...'}
        disabledReason={offline}
      >
        {needsSending ? 'Text me a code' : 'Continue'}
      </Button>
      {kind === 'phone' && !needsSending && (
        <Button variant="ghost" size="l" onClick={() => void sendMessage()} disabledReason={offline}>
          Send another code
        </Button>
      )}
    </form>
  )
}

const labels = {
  totp: 'Code from your authenticator app',
  phone: 'Code from the message',
  recovery_code: 'Recovery code',
} as const
