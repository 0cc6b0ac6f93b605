import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/toast.ts'
import { CodeField } from '../../session/CodeField.tsx'
import { challengeable, freeName, plainCode, plainPhone } from '../../session/factor-text.ts'
import { codeFailure, type Refusal, unexplained } from '../../session/auth-failure.ts'
import { auth } from '../../session/auth.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import type { AddFactorProps } from './AddTotpDialog.tsx'

export function AddPhoneDialog({ open, ...rest }: AddFactorProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={rest.onClose}
      title="Add a phone"
      description="Codes come as a text. An authenticator app is safer: numbers can be taken over."
      width="s"
    >
      <AddPhone {...rest} />
    </Dialog>
  )
}

interface Sent {
  readonly factorId: string
  readonly challengeId: string
  readonly phone: string
}

/** Its own component: closing the dialog forgets the number, and takes back what was not confirmed. */
function AddPhone({ factors, onClose, onAdded }: Omit<AddFactorProps, 'open'>) {
  const client = useQueryClient()
  const [phone, setPhone] = useState('')
  const [code, setCode] = useState('')
  const [sent, setSent] = useState<Sent | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const [known] = useState(factors)
  const unconfirmed = useRef<string | null>(null)
  useEffect(
    () => () => {
      if (unconfirmed.current) void auth.mfa.unenroll({ factorId: unconfirmed.current }).catch(() => {})
    },
    [],
  )

  const send = async (): Promise<Refusal | string | null> => {
    const number = plainPhone(phone)
    if (!number) return 'Enter the number with its country, such as +1 555 010 2030'
    if (unconfirmed.current) await auth.mfa.unenroll({ factorId: unconfirmed.current })
    unconfirmed.current = null
    const enrolled = await auth.mfa.enroll({
      factorType: 'phone',
      phone: number,
      friendlyName: freeName(
        'Phone',
        known.map(factor => factor.friendly_name),
      ),
    })
    if (enrolled.error) return enrolled.error
    unconfirmed.current = enrolled.data.id
    const challenge = await auth.mfa.challenge({ factorId: enrolled.data.id })
    if (challenge.error) return challenge.error
    setSent({ factorId: enrolled.data.id, challengeId: challenge.data.id, phone: number })
    return null
  }
  const verify = async ({ factorId, challengeId }: Sent): Promise<Refusal | string | null> => {
    const typed = plainCode(code)
    if (!typed) return 'Enter the code from the message'
    const { error } = await auth.mfa.verify({ factorId, challengeId, code: typed })
    if (error) return error
    unconfirmed.current = null
    void client.invalidateQueries({ queryKey: ['auth'] })
    toast.success('Phone added')
    onAdded(challengeable(known).length === 0)
    return null
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const refused = await (sent ? verify(sent) : send()).catch(() => unexplained)
    setBusy(false)
    setProblem(typeof refused === 'string' || refused === null ? refused : codeFailure(refused))
  }

  return (
    <form noValidate onSubmit={event => void submit(event)} className="flex flex-col gap-4">
      {sent ? (
        <>
          <Band tone="info">A code is on its way to {sent.phone}.</Band>
          <CodeField
            label="Code from the message"
            error={problem}
            value={code}
            onChange={setCode}
            takesFocus
          />
        </>
      ) : (
        <Field
          label="Phone number"
          hint="With the country, such as +1 555 010 2030."
          required
          error={problem}
        >
          <Input
            type="tel"
            autoComplete="tel"
            value={phone}
            onChange={event => setPhone(event.target.value)}
            maxLength={32}
          />
        </Field>
      )}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        {sent ? (
          <Button
            onClick={() => {
              setSent(null)
              setProblem(null)
            }}
          >
            Another number
          </Button>
        ) : (
          <Button onClick={onClose}>Cancel</Button>
        )}
        <Button
          type="submit"
          variant="primary"
          busy={isBusy}
          busyLabel={sent ? 'Checking...' : 'Sending...'}
          disabledReason={offline}
        >
          {sent ? 'Add' : 'Text me a code'}
        </Button>
      </div>
    </form>
  )
}
