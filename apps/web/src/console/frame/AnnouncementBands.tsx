import type { ToldAnnouncement } from '@ingot/contracts/site/announcements'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Band } from '../../ui/Band.tsx'
import { dismiss, isDismissed, onDismissed, readDismissed } from '../../ui/dismissed.ts'
import { sentence } from '../shell/sentence.ts'
import { toldQuery } from '../shell/told.ts'
import { formatWhen } from '../wallet/runway.ts'

/** What the operator tells everybody. Whoever puts one away does not see it again in this browser. */
export function AnnouncementBands() {
  const { data } = useQuery(toldQuery)
  const dismissed = useSyncExternalStore(onDismissed, readDismissed)
  if (!data) return null
  const { maintenance, items } = data
  return (
    <>
      {maintenance && (
        <Band tone="warn" full>
          {sentence(maintenance.text)}{' '}
          <span className="font-normal">
            Machines run on, and you can stop and delete them. Other changes wait
            {maintenance.planned_end && ` until about ${formatWhen(Date.parse(maintenance.planned_end))}`}.
          </span>
        </Band>
      )}
      {items
        .filter(({ key }) => !isDismissed(dismissed, key))
        .map(({ key, ...each }) => (
          <AnnouncementBand key={key} {...each} onDismiss={() => dismiss(key)} />
        ))}
    </>
  )
}

interface AnnouncementBandProps extends Omit<ToldAnnouncement, 'key'> {
  readonly onDismiss: () => void
}

function AnnouncementBand({ tone, text, link, onDismiss }: AnnouncementBandProps) {
  return (
    <Band
      tone={tone}
      full
      action={
        <span className="flex flex-wrap items-center gap-x-4">
          {link && (
            <a
              href={link.href}
              {...(!link.href.startsWith('/') && { target: '_blank', rel: 'noopener' })}
              className="inline-flex min-h-6 items-center underline"
            >
              {link.label}
            </a>
          )}
          <button type="button" onClick={onDismiss} className="min-h-6 underline">
            Dismiss<span className="sr-only">: {text}</span>
          </button>
        </span>
      }
    >
      {text}
    </Band>
  )
}
