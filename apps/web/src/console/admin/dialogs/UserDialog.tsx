import type { AdminUserDetails } from '@ingot/contracts/admin/users'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { formatCount, formatMoney } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { StatList } from '../../../ui/StatList.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { useNow } from '../../../ui/use-now.ts'
import { kindOf, statusWords } from '../../instances/instance-status.ts'
import { RowLink } from '../../list/RowLink.tsx'
import { stateOf, usedText } from '../../volumes/volume-text.ts'
import { ActAsButton } from '../acting/ActAsButton.tsx'
import { anyUserQuery, instancesOfQuery, useRefreshAdmin, volumesOfQuery } from '../all-queries.ts'
import { CorrectWallet } from '../money/CorrectWallet.tsx'
import { PersonActions } from '../people/PersonActions.tsx'
import { type AdminTab, opening, toTab } from '../tabs/tab-search.ts'
import { hoursText } from '../tabs/user-columns.tsx'
import { DialogView } from './DialogView.tsx'

interface UserDialogProps {
  readonly id: string
  readonly onClose: () => void
}

/** Who somebody is, what they have and pay, and what may be done. */
export function UserDialog({ id, onClose }: UserDialogProps) {
  const user = useQuery(anyUserQuery(id))
  return (
    <DialogView title="User Details" noun="user" query={user} onClose={onClose}>
      {data => <Details user={data} />}
    </DialogView>
  )
}

function Details({ user }: { readonly user: AdminUserDetails }) {
  const { id, email, first_name, last_name, role, hours_left, is_deleted } = user
  const refresh = useRefreshAdmin()
  const name = `${first_name} ${last_name}`.trim()
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="text-heading break-all">{email ?? 'No address'}</h3>
          <p className="text-muted">
            {name || 'No name given'} {is_deleted && <Badge tone="danger">Account deleted</Badge>}
          </p>
        </div>
        {/* Nobody reads the console of other staff as them. */}
        {!is_deleted && role === 'user' && <ActAsButton userId={id} email={email} />}
      </div>
      {!is_deleted && <PersonActions user={user} onDone={refresh} />}
      <StatList
        label="Money"
        narrow
        stats={[
          {
            label: 'Balance',
            value: <Money value={user.balance_usd} />,
            hint: hours_left === null ? 'nothing draws on it' : `lasts ${hoursText(hours_left)}`,
          },
          {
            label: 'Sum of all amounts',
            value: <Money value={user.billing_absolute_sum} />,
            hint: 'on the bill, whatever their sign',
          },
          { label: 'Spent', value: <Money value={user.spent_30d} />, hint: 'last 30 days' },
          {
            label: 'Deposited',
            value: <Money value={user.deposited} />,
            hint: `${formatMoney(user.withdrawn)} withdrawn`,
          },
        ]}
      />
      <PropertyList
        onCopied={what => toast.success(`${what} copied to clipboard`)}
        properties={[
          { name: 'Id', value: id, copy: id },
          { name: 'Plan', value: user.plan_name },
          { name: 'Company', value: [user.company, user.job].filter(Boolean).join(', ') || '–' },
          { name: 'Use case', value: user.use_case || '–' },
          { name: 'Phone', value: user.phone ?? '–' },
          {
            name: 'Access',
            value: `${counted(user.sessions, 'session')}, ${counted(user.keys, 'API key')}`,
          },
          {
            name: 'Last seen',
            value: user.last_seen_at ? <Time at={user.last_seen_at} exact /> : 'never',
          },
          { name: 'Joined', value: <Time at={user.created_at} exact /> },
        ]}
      />
      <Instances user={user} />
      <Volumes user={user} />
      {!is_deleted && (
        <details className="border-t border-line pt-3">
          <summary className="min-h-6 font-semi">Correct the wallet</summary>
          <div className="pt-3">
            <CorrectWallet userId={id} email={email} balance={user.balance_usd} />
          </div>
        </details>
      )}
      <section className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-t border-line pt-3">
        <h4 className="font-semi">Further</h4>
        <ToTab tab="billing" search={{ of: id }}>
          Billing
        </ToTab>
        <ToTab tab="payments" search={{ of: id }}>
          Payments
        </ToTab>
        {email && (
          <ToTab tab="support" search={{ search: email }}>
            {counted(user.tickets, 'ticket')}, {formatCount(user.open_tickets)} open
          </ToTab>
        )}
      </section>
    </div>
  )
}

const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

interface ToTabProps {
  readonly tab: AdminTab
  readonly search: Readonly<Record<string, string>>
  readonly children: ReactNode
}

/** Their rows in a list. The dialog closes. */
const ToTab = ({ tab, search, children }: ToTabProps) => (
  <Link
    to="/admin"
    search={{ ...toTab(tab), ...search }}
    resetScroll={false}
    className="link inline-flex min-h-6 items-center"
  >
    {children}
  </Link>
)

interface HasProps {
  readonly title: string
  readonly tab: AdminTab
  readonly userId: string
  readonly total: number
  readonly rows: readonly {
    readonly key: string
    readonly name: ReactNode
    readonly about: ReactNode
    readonly state: ReactNode
  }[]
}

/** The newest few of what they have, and the way to all. */
function Has({ title, tab, userId, total, rows }: HasProps) {
  return (
    <section className="flex flex-col gap-1 border-t border-line pt-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h4 className="font-semi">
          {title} <span className="font-normal text-muted tabular-nums">{formatCount(total)}</span>
        </h4>
        {total > 0 && (
          <ToTab tab={tab} search={{ of: userId }}>
            All {title.toLowerCase()}
          </ToTab>
        )}
      </div>
      <ul>
        {rows.map(({ key, name, about, state }) => (
          <li key={key} className="flex flex-wrap items-baseline justify-between gap-x-4 py-1">
            <span className="min-w-0 truncate">
              {name} <span className="text-muted">{about}</span>
            </span>
            {state}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Instances({ user: { id, instances } }: { readonly user: AdminUserDetails }) {
  const { data } = useQuery(instancesOfQuery(id))
  return (
    <Has
      title="Instances"
      tab="instances"
      userId={id}
      total={instances}
      rows={(data?.items ?? []).map(each => ({
        key: each.id,
        name: <RowLink name={each.name} opens={opening('instance', each.id)} />,
        about: `${each.gpu_count}× ${each.gpu_type}, ${each.region}`,
        state: <StatusMark kind={kindOf(each)}>{statusWords[each.status]}</StatusMark>,
      }))}
    />
  )
}

function Volumes({ user: { id, volumes } }: { readonly user: AdminUserDetails }) {
  const { data } = useQuery(volumesOfQuery(id))
  const now = useNow(60_000)
  return (
    <Has
      title="Volumes"
      tab="volumes"
      userId={id}
      total={volumes}
      rows={(data?.items ?? []).map(each => {
        const { kind, word } = stateOf(each, now)
        return {
          key: each.id,
          name: <RowLink name={each.name} opens={opening('volume', each.id)} />,
          about: `${usedText(each)}, ${each.region}`,
          state: <StatusMark kind={kind}>{word}</StatusMark>,
        }
      })}
    />
  )
}
