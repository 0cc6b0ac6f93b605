import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { toast } from '../../../ui/toast.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useSignInWays } from '../../session/auth-settings.ts'
import {
  challengeable,
  factorName,
  type KnownFactor,
  kindOf,
  maskedPhone,
} from '../../session/factor-text.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { AddKeyDialog } from './AddKeyDialog.tsx'
import { AddPhoneDialog } from './AddPhoneDialog.tsx'
import { AddTotpDialog } from './AddTotpDialog.tsx'
import { recoveryCodesQuery, userQuery } from '../queries.ts'
import { removeFactor } from './remove-factor.ts'
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx'
import { rowList, Section, SettingRow } from '../Section.tsx'
import { useDialog } from '../use-dialog.ts'

export function TwoFactorSection() {
  const user = useQuery(userQuery)
  return (
    <Section
      id="two-factor"
      lead="A code or a key beside the password. With it, a stolen password alone opens nothing."
    >
      <QueryView
        query={user}
        failed="The second factors could not be loaded"
        skeleton={<Skeleton className="h-24" />}
      >
        {({ factors = [] }) => <Factors factors={factors} />}
      </QueryView>
    </Section>
  )
}

function Factors({ factors }: { readonly factors: readonly KnownFactor[] }) {
  const { hasSms } = useSignInWays()
  const totp = useDialog('totp')
  const key = useDialog('security-key')
  const phone = useDialog('phone')
  const codes = useDialog('recovery-codes')
  const [leaving, setLeaving] = useState<KnownFactor | null>(null)
  const verified = challengeable(factors).filter(factor => kindOf(factor) !== 'recovery_code')
  return (
    <>
      <ul className={rowList}>
        {verified.length === 0 && (
          <SettingRow title="Off">You sign in with the password alone, or by a mailed link.</SettingRow>
        )}
        {verified.map(factor => (
          <SettingRow
            key={factor.id}
            title={
              <>
                {factorName(factor)}
                <Badge tone="ok">On</Badge>
              </>
            }
            action={
              <Button
                variant="danger"
                aria-label={`Remove ${factorName(factor)}`}
                onClick={() => setLeaving(factor)}
              >
                Remove
              </Button>
            }
          >
            {howItWorks(factor)}, added <Time at={factor.created_at} />
          </SettingRow>
        ))}
        {verified.length > 0 && <RecoveryRow onOpen={codes.open} />}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={totp.open}>Add an authenticator app</Button>
        <Button onClick={key.open}>Add a security key</Button>
        {hasSms && <Button onClick={phone.open}>Add a phone</Button>}
      </div>
      <AddTotpDialog
        factors={factors}
        open={totp.isOpen}
        onClose={totp.close}
        onAdded={isFirst => (isFirst ? codes.open() : totp.close())}
      />
      <AddKeyDialog
        factors={factors}
        open={key.isOpen}
        onClose={key.close}
        onAdded={isFirst => (isFirst ? codes.open() : key.close())}
      />
      <AddPhoneDialog
        factors={factors}
        open={phone.isOpen}
        onClose={phone.close}
        onAdded={isFirst => (isFirst ? codes.open() : phone.close())}
      />
      <RecoveryCodesDialog open={codes.isOpen} onClose={codes.close} />
      {leaving && (
        <RemoveFactorDialog
          factor={leaving}
          isLast={verified.length === 1}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  )
}

function howItWorks(factor: KnownFactor): string {
  if (kindOf(factor) === 'phone') return `Codes by text to ${maskedPhone(factor.phone)}`
  return kindOf(factor) === 'webauthn' ? 'A security key or passkey' : 'Codes from an app'
}

function RecoveryRow({ onOpen }: { readonly onOpen: () => void }) {
  const { data: codes } = useQuery(recoveryCodesQuery)
  const left = codes?.remaining ?? 0
  return (
    <SettingRow
      title={
        <>
          Recovery codes
          {codes && left <= 2 && <Badge tone="warn">{left === 0 ? 'None left' : `${left} left`}</Badge>}
        </>
      }
      action={<Button onClick={onOpen}>{codes ? 'Make new ones' : 'Make recovery codes'}</Button>}
    >
      {codes
        ? `${left} of ${codes.total} can still be used, each once, when the other factors are out of reach.`
        : 'None yet. Without them, a lost phone or key locks you out.'}
    </SettingRow>
  )
}

interface RemoveFactorDialogProps {
  readonly factor: KnownFactor
  readonly isLast: boolean
  readonly onClose: () => void
}

function RemoveFactorDialog({ factor, isLast, onClose }: RemoveFactorDialogProps) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const remove = async () => {
    setBusy(true)
    const failed = await removeFactor(factor)
    setBusy(false)
    if (failed) return setProblem(`Failed to remove. ${failed}`)
    void client.invalidateQueries({ queryKey: ['auth'] })
    toast.success(`${factorName(factor)} removed`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Remove ${factorName(factor)}`}
      confirmLabel="Remove"
      busyLabel="Removing..."
      busy={isBusy}
      error={problem}
      onConfirm={() => void remove()}
    >
      {isLast
        ? 'It is your only second factor: after this the password alone opens your account, and the recovery codes stop working.'
        : 'It is no longer accepted. Your other factors stay.'}
    </ConfirmDialog>
  )
}
