import { Band } from '../../ui/Band.tsx'
import { AnnouncementBands } from './AnnouncementBands.tsx'
import { ActingBand } from './ActingBand.tsx'
import { BalanceBand } from './BalanceBand.tsx'
import { PasswordBand } from './PasswordBand.tsx'
import { useLiveState } from '../shell/live.ts'
import { useOnline } from '../shell/online.ts'
import { testNetworkWarning } from '../wallet/network-warning.ts'
import { useWallet } from '../wallet/wallet.tsx'

/** Under the header: what is true of every figure below it. */
export function Bands() {
  return (
    <section aria-label="Warnings">
      <ActingBand />
      <ServiceBands />
      <AnnouncementBands />
      <PasswordBand />
      <BalanceBand />
    </section>
  )
}

/** Of the service and the line to it, whoever looks. */
export function ServiceBands() {
  const { isTestNetwork } = useWallet()
  const { lostAt } = useLiveState()
  const isOnline = useOnline()
  return (
    <>
      {isTestNetwork && (
        <p className="bg-warn-soft px-4 py-1 text-center text-label text-warn lg:hidden">
          {testNetworkWarning}
        </p>
      )}
      {!isOnline && (
        <Band tone="warn" full>
          You are offline. You can read what is here; changes wait until the connection is back.
        </Band>
      )}
      {isOnline && lostAt !== null && (
        <Band tone="info" full>
          Reconnecting, data from {timeOf(lostAt)}
        </Band>
      )}
    </>
  )
}

const timeOf = (ms: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(new Date(ms))
