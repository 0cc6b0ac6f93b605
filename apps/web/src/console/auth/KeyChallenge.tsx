import { useEffect, useRef, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { factorName, type KnownFactor } from '../session/factor-text.ts'
import { answerWithKey, keysUnusable } from '../session/security-key.ts'
import { takeFocus } from '../session/take-focus.ts'
import { useOfflineReason } from '../shell/online.ts'

interface KeyChallengeProps {
  readonly factor: KnownFactor
  readonly onDone: () => void
}

/** The second step with a security key. It waits for a press: browsers ask for a key only when the user wants it. */
export function KeyChallenge({ factor, onDone }: KeyChallengeProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const asking = useRef<AbortController | null>(null)
  useEffect(() => () => asking.current?.abort(), [])
  const use = async () => {
    setBusy(true)
    setProblem(null)
    asking.current = new AbortController()
    const failed = await answerWithKey(factor.id, asking.current.signal)
    setBusy(false)
    if (failed === null) return onDone()
    setProblem(failed)
  }
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Have the key “{factorName(factor)}” at hand, and touch it when the browser asks.
      </p>
      {problem && <Band tone="danger">{problem}</Band>}
      <Button
        ref={takeFocus}
        variant="primary"
        size="l"
        onClick={() => void use()}
        busy={isBusy}
        busyLabel="Waiting for the key..."
        disabledReason={offline ?? keysUnusable()}
      >
        Use security key
      </Button>
    </div>
  )
}
