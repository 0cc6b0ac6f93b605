import { type AdminUser, lowBalanceUsd } from '@ingot/contracts/admin/users'
import { Badge } from '../../../ui/Badge.tsx'
import { formatCount, formatMoney } from '../../../ui/format.ts'
import { HeatStrip } from '../../../ui/HeatStrip.tsx'
import { Money } from '../../../ui/Money.tsx'
import { StatusShape } from '../../../ui/StatusShape.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { RowLink } from '../../list/RowLink.tsx'
import { opening } from './tab-search.ts'

/** A balance that ends within so many hours is no longer low: it is short. */
const shortHours = 2

/** How it stands: `good` bears no mark. */
export function balanceState({
  balance_usd,
  hours_left,
}: Pick<AdminUser, 'balance_usd' | 'hours_left'>): 'good' | 'low' | 'short' {
  if (Number(balance_usd) <= 0 || (hours_left !== null && hours_left < shortHours)) return 'short'
  return Number(balance_usd) < lowBalanceUsd ? 'low' : 'good'
}

/** `40 min`, `2 h`, `3 d`. */
export function hoursText(hours: number): string {
  if (hours < 1) return `${Math.max(0, Math.floor(hours * 60))} min`
  return hours < 48 ? `${Math.floor(hours)} h` : `${formatCount(Math.floor(hours / 24))} d`
}

function Balance({ user }: { readonly user: AdminUser }) {
  if (user.role !== 'user' && Number(user.balance_usd) === 0) return '–'
  const state = balanceState(user)
  const text = formatMoney(user.balance_usd)
  if (state === 'good') return text
  const isShort = state === 'short'
  return (
    <span className={`inline-flex items-center gap-2 ${isShort ? 'text-danger' : 'text-warn'}`}>
      <StatusShape kind={isShort ? 'failed' : 'attention'} />
      {text}
      {isShort && user.hours_left !== null && `, ${hoursText(user.hours_left)}`}
    </span>
  )
}

function Load({ user }: { readonly user: AdminUser }) {
  if (user.gpu_load)
    return <HeatStrip label={`GPU load of ${user.email ?? user.id}, last 24 hours`} values={user.gpu_load} />
  return <span className="text-muted">{user.simulated ? 'Simulated' : '–'}</span>
}

/** `most`: the dearest of the rows that are shown, whose bar is the longest. */
export const userColumns = (most: number): readonly Column<AdminUser>[] => [
  {
    id: 'email',
    header: 'Email',
    sortable: true,
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:flex-1 sm:max-w-aside',
    cell: user => (
      <>
        <RowLink
          name={user.email ?? (`${user.first_name} ${user.last_name}`.trim() || 'no address')}
          opens={opening('user', user.id)}
        />
        {user.suspended_at && (
          <>
            {' '}
            <Badge tone="warn">Suspended</Badge>
          </>
        )}
      </>
    ),
  },
  {
    id: 'role',
    header: 'Role',
    className: 'sm:w-px',
    cell: ({ role }) => <span className={role === 'user' ? 'text-muted' : 'font-semi text-ink'}>{role}</span>,
  },
  {
    id: 'plan',
    header: 'Plan',
    phone: 'hidden',
    className: 'max-xl:hidden sm:w-px whitespace-nowrap text-muted',
    cell: ({ plan_name }) => plan_name,
  },
  {
    id: 'balance',
    header: 'Balance',
    numeric: true,
    sortable: true,
    phone: 'aside',
    className: 'sm:w-px',
    cell: user => <Balance user={user} />,
  },
  {
    id: 'spent',
    header: 'Spent, 30 d',
    numeric: true,
    sortable: true,
    className: 'sm:w-px',
    cell: ({ spent_30d }) => (
      <>
        <Money value={spent_30d} />
        <span className="sm:hidden"> in 30 d</span>
      </>
    ),
  },
  {
    id: 'bar',
    header: 'Spent, beside the others',
    headerHidden: true,
    phone: 'hidden',
    className: 'max-lg:hidden w-24 pl-0!',
    cell: ({ spent_30d }) => (
      <span
        aria-hidden
        style={{ width: `${most > 0 ? (Math.max(0, Number(spent_30d)) / most) * 100 : 0}%` }}
        className="block h-2 bg-chart-1 forced-color-adjust-none"
      />
    ),
  },
  {
    id: 'running',
    header: 'Running',
    numeric: true,
    className: 'sm:w-px',
    cell: ({ running }) => (
      <>
        {formatCount(running)}
        <span className="sm:hidden"> running</span>
      </>
    ),
  },
  {
    id: 'load',
    header: 'GPU load, 24 h',
    phone: 'hidden',
    className: 'max-lg:hidden sm:w-px whitespace-nowrap',
    cell: user => <Load user={user} />,
  },
  {
    id: 'last_seen',
    header: 'Last seen',
    numeric: true,
    sortable: true,
    className: 'sm:w-px text-muted',
    cell: ({ last_seen_at }) => (last_seen_at ? <Time at={last_seen_at} /> : '–'),
  },
]
