import type { AdminOverview } from '@ingot/contracts/admin/overview'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCount, formatMoney } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Sparkline } from '../../../ui/Sparkline.tsx'
import { useNow } from '../../../ui/use-now.ts'
import type { SearchText } from '../../list/search-state.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { overviewQuery } from '../all-queries.ts'
import { toTab } from '../tabs/tab-search.ts'
import { ageText, clockUtc, roughUsd, soldText, wayText } from './card-text.ts'

const labels = [
  'Total Users',
  'GPU Instances',
  'Network Volumes',
  'Total Revenue',
  'Pending Payments',
  'Open Tickets',
] as const
const frame =
  'grid grid-cols-2 gap-px overflow-clip rounded-panel border border-line bg-line sm:grid-cols-3 xl:grid-cols-6'
const card = 'relative flex min-w-0 flex-col bg-raised px-4 pt-3 pb-2'

/** The whole service in six figures, each with the last 30 days and the way to its rows. */
export function Cards() {
  const overview = useQuery(overviewQuery)
  return (
    <section aria-label="Figures">
      <QueryView
        query={overview}
        failed="Failed to load dashboard data"
        consequence="The lists below work all the same."
        skeleton={<Waiting />}
      >
        {data => <Six {...data} />}
      </QueryView>
    </section>
  )
}

function Waiting() {
  return (
    <div aria-busy className={frame}>
      {labels.map(label => (
        <div key={label} className={card}>
          <span className="text-label text-muted">{label}</span>
          <Skeleton className="my-1 h-6 w-1/2" />
          <Skeleton className="w-3/4" />
          <span className="h-6" />
        </div>
      ))}
    </div>
  )
}

function Six({ as_of, users, instances, volumes, revenue, payments, tickets }: AdminOverview) {
  const now = useNow(30_000).getTime()
  const earned = revenue.days.map(Number)
  return (
    <dl className={frame}>
      <Card
        label={labels[0]}
        to={toTab('users')}
        value={formatCount(users.total)}
        hint={`${users.since_yesterday > 0 ? `+${formatCount(users.since_yesterday)}` : 'none'} since yesterday`}
        days={users.days}
      />
      <Card
        label={labels[1]}
        to={toTab('instances')}
        value={formatCount(instances.total)}
        hint={`${formatCount(instances.running)} running, ${formatCount(instances.gpus_free)} GPUs free`}
        days={instances.days}
      />
      <Card
        label={labels[2]}
        to={toTab('volumes')}
        value={formatCount(volumes.total)}
        hint={soldText(volumes)}
        days={volumes.days}
      />
      <Card
        label={labels[3]}
        to={toTab('billing')}
        value={
          <>
            <span
              title={`${formatMoney(revenue.total, { decimals: 6 })}: the sum of all amounts on all bills, whatever their sign`}
            >
              {roughUsd(revenue.total)}
            </span>{' '}
            <span
              className="text-label whitespace-nowrap text-muted"
              title={`${formatMoney(revenue.net, { decimals: 6 })}: what charges brought, less what was returned`}
            >
              net {roughUsd(revenue.net)}
            </span>
          </>
        }
        hint={`${roughUsd(revenue.today)} today until ${clockUtc(as_of)} UTC`}
        days={earned}
        format={value => `$${formatCount(Math.round(value))}`}
        wayLabel="Net revenue of each day"
      />
      <Card
        label={labels[4]}
        to={{ ...toTab('payments'), status: 'pending' }}
        value={formatCount(payments.pending)}
        hint={
          payments.oldest_at === null
            ? 'none waits'
            : `${payments.held > 0 ? `${formatCount(payments.held)} held, ` : ''}oldest ${ageText(now - Date.parse(payments.oldest_at))}`
        }
        days={payments.days}
        wayLabel="Payments that came in each day"
      />
      <Card
        label={labels[5]}
        to={toTab('support')}
        value={formatCount(tickets.open)}
        hint={`${formatCount(tickets.waiting_for_person)} ${tickets.waiting_for_person === 1 ? 'waits' : 'wait'} for a person`}
        days={tickets.days}
        wayLabel="Tickets opened each day"
      />
    </dl>
  )
}

interface CardProps {
  readonly label: string
  /** Its rows. */
  readonly to: SearchText
  readonly value: ReactNode
  readonly hint: string
  readonly days: readonly number[]
  /** What the line shows, where that is not the figure itself. */
  readonly wayLabel?: string
  readonly format?: (value: number) => string
}

function Card({ label, to, value, hint, days, wayLabel = label, format }: CardProps) {
  return (
    <div className={`${card} has-[a:hover]:bg-hover`}>
      <dt className="text-label text-muted">
        {/* All of the card leads there. */}
        <Link
          to="/admin"
          search={to}
          resetScroll={false}
          hash="lists"
          className="after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus"
        >
          {label}
        </Link>
      </dt>
      <dd className="text-title tabular-nums">{value}</dd>
      <dd className="text-label font-normal text-muted tabular-nums">{hint}</dd>
      <dd className="mt-auto pt-1">
        <Sparkline label={wayText(wayLabel, days, format)} values={days} />
      </dd>
    </div>
  )
}
