import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toast } from '../../../ui/toast.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { CodeField } from '../../session/CodeField.tsx'
import { challengeable, freeName, type KnownFactor, plainCode } from '../../session/factor-text.ts'
import { codeFailure, unexplained } from '../../session/auth-failure.ts'
import { auth } from '../../session/auth.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { qrImage } from './qr-image.ts'

export interface AddFactorProps {
  readonly factors: readonly KnownFactor[]
  readonly open: boolean
  readonly onClose: () => void
  /** Called with whether it is the account's first: then there are no recovery codes yet. */
  readonly onAdded: (isFirst: boolean) => void
}

export function AddTotpDialog({ open, ...rest }: AddFactorProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={rest.onClose}
      title="Add an authenticator app"
      description="Aegis, 1Password, Google Authenticator or any other app that makes six-digit codes."
    >
      <AddTotp {...rest} />
    </Dialog>
  )
}

interface Enrolment {
  readonly id: string
  readonly secret: string
  readonly qr: string
}

/** Its own component: each opening enrols anew, and what was not confirmed is taken back when it closes. */
function AddTotp({ factors, onClose, onAdded }: Omit<AddFactorProps, 'open'>) {
  const client = useQueryClient()
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [code, setCode] = useState('')
  const [codeProblem, setCodeProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  // As it was when the dialog opened: confirming changes it.
  const [known] = useState(factors)

  useEffect(() => {
    let isOver = false
    let pending: string | null = null
    const takeBack = () => {
      if (pending) void auth.mfa.unenroll({ factorId: pending }).catch(() => {})
    }
    const begin = async () => {
      const { data, error } = await auth.mfa
        .enroll({
          factorType: 'totp',
          friendlyName: freeName(
            'Authenticator app',
            known.map(factor => factor.friendly_name),
          ),
        })
        .catch(() => ({ data: null, error: unexplained }))
      if (data) pending = data.id
      if (isOver) return takeBack()
      if (error) return setProblem(codeFailure(error))
      setEnrolment({ id: data!.id, secret: data!.totp.secret, qr: qrImage(data!.totp.qr_code) })
    }
    // Not at once: in development every effect runs twice.
    const timer = setTimeout(() => void begin())
    return () => {
      isOver = true
      clearTimeout(timer)
      if (!confirmed.has(pending ?? '')) takeBack()
    }
  }, [known])

  const confirm = async (event: FormEvent) => {
    event.preventDefault()
    if (!enrolment || isBusy) return
    const typed = plainCode(code)
    if (!typed) return setCodeProblem('Enter the code that the app shows')
    setBusy(true)
    const { error } = await auth.mfa
      .challengeAndVerify({ factorId: enrolment.id, code: typed })
      .catch(() => ({ error: unexplained }))
    setBusy(false)
    if (error) return setCodeProblem(codeFailure(error))
    confirmed.add(enrolment.id)
    void client.invalidateQueries({ queryKey: ['auth'] })
    toast.success('Authenticator app added')
    onAdded(challengeable(known).length === 0)
  }

  if (problem)
    return (
      <div className="flex flex-col gap-4">
        <Band tone="danger">Failed to begin: {problem}</Band>
        <div className="flex justify-end">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    )
  return (
    <form noValidate onSubmit={event => void confirm(event)} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2 sm:items-start">
        <div
          data-theme="light"
          className="w-full max-w-menu overflow-hidden rounded-panel border border-line bg-raised"
        >
          {enrolment ? (
            <img src={enrolment.qr} alt="QR code of the secret" className="block w-full" />
          ) : (
            <Skeleton className="aspect-square h-auto" />
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-2">
          <p>Scan the code with the app, or type the secret into it:</p>
          {enrolment && (
            <p className="flex items-start gap-2">
              <code aria-label="Secret" className="min-w-0 font-mono text-code break-all">
                {enrolment.secret}
              </code>
              <CopyButton text={enrolment.secret} what="secret" />
            </p>
          )}
          <p className="text-label font-normal text-muted">
            It is shown only now. Whoever has it can make your codes.
          </p>
        </div>
      </div>
      <CodeField
        label="Code from the app"
        hint="Six digits. This shows that the app has the secret."
        error={codeProblem}
        value={code}
        onChange={value => {
          setCode(value)
          setCodeProblem(null)
        }}
      />
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={isBusy}
          busyLabel="Checking..."
          disabledReason={offline ?? (enrolment ? null : 'The secret is being made')}
        >
          Add
        </Button>
      </div>
    </form>
  )
}

/** What was confirmed in this page is never taken back by a dialog that closes. */
const confirmed = new Set<string>()
