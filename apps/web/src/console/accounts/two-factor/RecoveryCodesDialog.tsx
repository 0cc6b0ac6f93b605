import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useCopy } from '../../../ui/use-copy.ts'
import { inGroups } from '../../session/factor-text.ts'
import { codeFailure, unexplained } from '../../session/auth-failure.ts'
import { auth } from '../../session/auth.tsx'
import { download } from '../../shell/download.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { recoveryCodesQuery } from '../queries.ts'

interface RecoveryCodesDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function RecoveryCodesDialog({ open, onClose }: RecoveryCodesDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Recovery codes"
      description="Each opens your account once, in place of the second factor, when your phone or key is lost or broken."
      width="m"
    >
      <RecoveryCodes onClose={onClose} />
    </Dialog>
  )
}

/** Its own component: the codes are shown once, and forgotten when the dialog closes. */
function RecoveryCodes({ onClose }: Pick<RecoveryCodesDialogProps, 'onClose'>) {
  const client = useQueryClient()
  const status = useQuery(recoveryCodesQuery)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const offline = useOfflineReason()
  const isReplacing = Boolean(status.data)
  const make = async () => {
    setBusy(true)
    const { data, error } = await (
      isReplacing ? auth.mfa.recoveryCodes.regenerate() : auth.mfa.recoveryCodes.generate()
    ).catch(() => ({ data: null, error: unexplained }))
    setBusy(false)
    if (error) return setProblem(codeFailure(error))
    setProblem(null)
    setCodes(data!.codes.map(inGroups))
    void client.invalidateQueries({ queryKey: ['auth'] })
  }

  if (codes) return <ShownCodes codes={codes} onClose={onClose} />
  return (
    <div className="flex flex-col gap-4">
      {isReplacing && (
        <Band tone="warn">The {status.data?.remaining} codes you still have stop working.</Band>
      )}
      {problem && <Band tone="danger">{problem}</Band>}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{isReplacing ? 'Cancel' : 'Later'}</Button>
        <Button
          variant="primary"
          onClick={() => void make()}
          busy={isBusy}
          busyLabel="Making..."
          disabledReason={offline ?? (status.isPending ? 'Loading' : null)}
        >
          {isReplacing ? 'Make new ones' : 'Make recovery codes'}
        </Button>
      </div>
    </div>
  )
}

function ShownCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const [copied, copy] = useCopy()
  const text = `${codes.join('\n')}\n`
  const save = () => download('ingot-recovery-codes.txt', text, 'text/plain;charset=utf-8')
  return (
    <div className="flex flex-col gap-4">
      <Band tone="warn">
        They are shown only now. Keep them where you keep your papers, not on the phone.
      </Band>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-1 gap-x-6 rounded-panel bg-sunken p-4 font-mono text-code whitespace-nowrap sm:grid-cols-2"
      >
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => void copy(text)}>
          {{ idle: 'Copy', copied: 'Copied', failed: 'Not copied' }[copied]}
        </Button>
        <Button onClick={save}>Download</Button>
        <Button variant="primary" onClick={onClose}>
          I have kept them
        </Button>
      </div>
    </div>
  )
}
