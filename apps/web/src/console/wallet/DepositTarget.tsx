import { appToast } from '../../ui/app-toast.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { cx } from '../../ui/cx.ts'
import { QrCode } from '../../ui/QrCode.tsx'
import { shortAmount } from './amount.ts'

interface DepositTargetProps {
  readonly amount: string
  readonly networkName: string
  readonly address: string
  readonly isTestNetwork: boolean
}

const sayCopied = () => appToast({ title: 'Copied!', description: 'Address copied to clipboard' })

/** Network and address, to read, to copy and to photograph. */
export function DepositTarget({ amount, networkName, address, isTestNetwork }: DepositTargetProps) {
  return (
    <div className="flex items-start gap-4 max-sm:flex-col">
      <dl className="flex min-w-0 grow flex-col gap-3">
        <div>
          <dt className="text-label text-muted">Send</dt>
          <dd className="text-heading tabular-nums">{shortAmount(amount)} USDT</dd>
        </div>
        <div>
          <dt className="text-label text-muted">Network</dt>
          <dd className={cx('font-medium', isTestNetwork && 'text-warn')}>{networkName}</dd>
        </div>
        <div>
          <dt className="text-label text-muted">Your own deposit address</dt>
          <dd>
            <code className="font-mono text-code break-all">{address}</code>{' '}
            <CopyButton text={address} what="address" labelled onCopied={sayCopied} />
          </dd>
        </div>
      </dl>
      <div className="size-qr shrink-0">
        <QrCode text={address} label="Deposit address as a QR code" />
      </div>
    </div>
  )
}
