import type { Mail } from '@ingot/contracts/dev'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Mark } from '../../ui/Mark.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { devMailQuery } from '../shell/dev-tools.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { MailText } from './MailText.tsx'

const lookEveryMs = 2_000

/** Where mails end up on a test cloud: nothing leaves the machine, and the links in them work. */
export function MailScreen() {
  const mails = useQuery({ ...devMailQuery, refetchInterval: lookEveryMs, refetchOnMount: 'always' })
  const shown = mails.data?.items ?? []
  return (
    <main className="mx-auto flex max-w-prose flex-col gap-6 px-4 py-8">
      <div className="flex items-center justify-between gap-4">
        <a href="/" className="flex items-center gap-2 rounded-control text-heading">
          <Mark />
          Ingot
        </a>
        <Link to="/signin" className="link inline-flex min-h-6 items-center">
          Sign in
        </Link>
      </div>
      <PageHeading lead="This test cloud sends no mail and no text messages. What it would send is here, newest first.">
        Development inbox
      </PageHeading>
      <ListFrame
        query={mails}
        failed="There is no inbox here"
        consequence="It exists only on a test network that listens on this machine alone."
        skeleton={<Skeleton className="h-24" />}
        isEmpty={shown.length === 0}
        empty={
          <EmptyState title="No mail yet">
            Create an account, and its confirmation appears here within seconds. This page updates by itself.
          </EmptyState>
        }
      >
        <ol className="flex flex-col gap-4">
          {shown.map(mail => (
            <Message key={mail.id} mail={mail} />
          ))}
        </ol>
      </ListFrame>
    </main>
  )
}

function Message({ mail }: { readonly mail: Mail }) {
  return (
    <li className="rounded-panel border border-line bg-raised">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line px-4 py-3">
        <h2 className="text-heading">{mail.kind === 'sms' ? 'Text message' : mail.subject}</h2>
        <p className="text-muted">
          <Time at={mail.created_at} />
        </p>
        <p className="w-full text-muted">To {mail.to}</p>
      </div>
      <MailText text={mail.text} links={mail.links} />
    </li>
  )
}
