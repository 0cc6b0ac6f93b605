import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { keyFailure, unexplained } from '../../session/auth-failure.ts'
import { auth } from '../../session/auth.tsx'
import { challengeable, freeName } from '../../session/factor-text.ts'
import { answerWithKey, keysUnusable } from '../../session/security-key.ts'
import { useOfflineReason } from '../../shell/online.ts'
import type { AddFactorProps } from './AddTotpDialog.tsx'

export function AddKeyDialog({ open, ...rest }: AddFactorProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={rest.onClose}
      title="Add a security key"
      description="A key that you plug in or hold to the phone, or a passkey of this device. It answers to this site and to no copy of it."
      width="s"
    >
      <AddKey {...rest} />
    </Dialog>
  )
}

/** Its own component: closing the dialog ends the browser's question, and takes back what was not confirmed. */
function AddKey({ factors, onClose, onAdded }: Omit<AddFactorProps, 'open'>) {
  const client = useQueryClient()
  const [known] = useState(factors)
  const [name, setName] = useState(() =>
    freeName(
      'Security key',
      known.map(factor => factor.friendly_name),
    ),
  )
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const asking = useRef<AbortController | null>(null)
  useEffect(() => () => asking.current?.abort(), [])

  const add = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const friendlyName = name.trim()
    setProblem(null)
    setNameProblem(friendlyName ? null : 'Enter a name to know the key by')
    if (!friendlyName) return
    setBusy(true)
    asking.current = new AbortController()
    const enrolled = await auth.mfa
      .enroll({ factorType: 'webauthn', friendlyName })
      .catch(() => ({ data: null, error: unexplained }))
    const failed = enrolled.error
      ? keyFailure(enrolled.error)
      : await answerWithKey(enrolled.data.id, asking.current.signal)
    setBusy(false)
    if (failed === null) {
      void client.invalidateQueries({ queryKey: ['auth'] })
      toast.success('Security key added')
      return onAdded(challengeable(known).length === 0)
    }
    if (enrolled.data) void auth.mfa.unenroll({ factorId: enrolled.data.id }).catch(() => {})
    if (enrolled.error && 'code' in enrolled.error && enrolled.error.code === 'mfa_factor_name_conflict')
      return setNameProblem(failed)
    setProblem(failed)
  }

  return (
    <form noValidate onSubmit={event => void add(event)} className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="To tell it from others, such as “Blue key” or “Laptop”."
        required
        error={nameProblem}
      >
        <Input
          value={name}
          onChange={event => setName(event.target.value)}
          maxLength={120}
          autoComplete="off"
        />
      </Field>
      {isBusy && <Band tone="info">Follow your browser, and touch the key when it asks.</Band>}
      {problem && <Band tone="danger">{problem}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={isBusy}
          busyLabel="Waiting for the key..."
          disabledReason={offline ?? keysUnusable()}
        >
          Add
        </Button>
      </div>
    </form>
  )
}
