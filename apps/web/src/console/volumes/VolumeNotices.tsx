import type { Volume } from '@ingot/contracts/volumes'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate, formatExact, formatMoney } from '../../ui/format.ts'
import { useNow } from '../../ui/use-now.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { useVolumeActions } from './use-volume-actions.ts'
import { caveatOf, isNearlyFull, shareUsed, timeUntil } from './volume-text.ts'

/** While it is not simply there: what happened, what comes of it, and the way out. */
export function VolumeNotices({ volume }: { readonly volume: Volume }) {
  const { status_message, lapsed_at, status } = volume
  const caveat = caveatOf(volume)
  return (
    <>
      {lapsed_at !== null && status !== 'deleting' && <Lapsed volume={volume} since={lapsed_at} />}
      {status_message && (
        <Band tone="warn">
          <span className="break-words whitespace-pre-line">{status_message}</span>
        </Band>
      )}
      {isNearlyFull(volume) && (
        <Band tone="warn">
          {Math.floor(shareUsed(volume) * 100)}% of it is used.
          {volume.enforces_size && ' A program that writes more than its size gets "no space left".'}
        </Band>
      )}
      {caveat && <Band tone="info">{caveat}</Band>}
    </>
  )
}

/** What one that is not paid says, and the click that pays it. */
export function Lapsed({ volume, since }: { readonly volume: Volume; readonly since: string }) {
  const now = useNow(60_000)
  const offline = useOfflineReason()
  const { revive } = useVolumeActions(volume)
  const { id, deletes_at, monthly_cost } = volume
  return (
    <Band
      tone="danger"
      action={
        <span className="flex flex-wrap items-center gap-2">
          <CopyCall call="volumes.revive" values={{ id }} />
          <Button busy={revive.isPending} disabledReason={offline} onClick={() => revive.mutate()}>
            Restore for {formatMoney(monthly_cost)}
          </Button>
        </span>
      }
    >
      Read-only: its month could not be paid on {formatDate(new Date(since))}.
      <span className="block font-normal">
        {deletes_at && (
          <>
            It is deleted in{' '}
            <time dateTime={deletes_at} title={formatExact(new Date(deletes_at))}>
              {timeUntil(deletes_at, now)}
            </time>{' '}
            unless it is paid before.{' '}
          </>
        )}
        A deposit or this button pays it; the month begins on the day it lapsed.
      </span>
    </Band>
  )
}
