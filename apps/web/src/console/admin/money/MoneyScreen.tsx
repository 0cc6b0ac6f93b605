import type { Money } from '@ingot/contracts/admin/business'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { formatMoney } from '../../../ui/format.ts'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { StatList } from '../../../ui/StatList.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { InvoiceIdentityPanel } from './InvoiceIdentityPanel.tsx'
import { MoneyBreakdown } from './MoneyBreakdown.tsx'
import { type DaySpan, moneyQuery } from './queries.ts'
import { RevenueAndLiability } from './RevenueAndLiability.tsx'

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
const back = (days: number, to: string): string =>
  new Date(Date.parse(to) - (days - 1) * 86_400_000).toISOString().slice(0, 10)

export function MoneyScreen() {
  return (
    <AdminOnly>
      <Screen />
    </AdminOnly>
  )
}

/** The days are in the address. */
function Screen() {
  const id = useId()
  const [address, change] = useSearchState()
  const span: DaySpan = {
    from: isDay(address['from']) ? address['from'] : undefined,
    to: isDay(address['to']) ? address['to'] : undefined,
  }
  const { data } = useQuery(moneyQuery(span))
  const from = span.from ?? data?.from ?? ''
  const to = span.to ?? data?.to ?? ''
  const today = data?.now.at.slice(0, 10) ?? to
  const choose = (days: string) => change({ from: back(Number(days), today), to: '' })
  const chosen = ['7', '30', '90', '365'].find(
    days => today && back(Number(days), today) === from && to === today,
  )
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        lead={
          <>
            What was earned, came in and went out, and what customers hold.{' '}
            <Link to="/admin/prices" className="text-link underline">
              Prices
            </Link>{' '}
            and{' '}
            <Link to="/admin/payouts" className="text-link underline">
              payouts
            </Link>{' '}
            have pages of their own.
          </>
        }
        actions={
          <ExportButton isEmpty={!data} fetch={() => api.business.export({ ...span, what: 'days' })}>
            Export days
          </ExportButton>
        }
      >
        Money
      </PageHeading>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Days"
          className="w-auto!"
          options={[
            { value: '7', label: 'Last 7 days' },
            { value: '30', label: 'Last 30 days' },
            { value: '90', label: 'Last 90 days' },
            { value: '365', label: 'Last 365 days' },
            { value: 'own', label: 'Own days' },
          ]}
          value={chosen ?? 'own'}
          onValueChange={days => days !== 'own' && choose(days)}
        />
        <label htmlFor={`${id}-from`} className="text-muted">
          From
        </label>
        <span>
          <Input
            id={`${id}-from`}
            type="date"
            value={from}
            max={to}
            onChange={event => isDay(event.target.value) && change({ from: event.target.value })}
          />
        </span>
        <label htmlFor={`${id}-to`} className="text-muted">
          to
        </label>
        <span>
          <Input
            id={`${id}-to`}
            type="date"
            value={to}
            max={today}
            min={from}
            onChange={event => isDay(event.target.value) && change({ to: event.target.value })}
          />
        </span>
      </div>
      {data && <Figures money={data} />}
      <RevenueAndLiability span={span} />
      <MoneyBreakdown span={span} />
      <InvoiceIdentityPanel />
    </div>
  )
}

function Figures({ money: { total, now } }: { readonly money: Money }) {
  return (
    <StatList
      label="Money"
      stats={[
        {
          label: 'Revenue',
          value: formatMoney(total.revenue),
          hint: `earned in these days; ${formatMoney(now.earned_in_all)} in all`,
        },
        {
          label: 'Deposits',
          value: formatMoney(total.deposits),
          hint: 'USDT that was credited',
        },
        {
          label: 'Paid out',
          value: formatMoney(total.paid_out),
          hint: 'withdrawals and refunds, on the chain',
        },
        {
          label: 'Given by hand',
          value: formatMoney(total.given),
          hint: `${formatMoney(total.taken)} taken; promotion ${formatMoney(total.promotion_used)} used of ${formatMoney(total.promotion_given)} given`,
        },
        {
          label: 'Customers hold',
          value: formatMoney(now.owed),
          hint: `and ${formatMoney(now.prepaid)} paid in advance`,
        },
        { label: 'Held', value: formatMoney(now.held), hint: 'USDT at addresses of this service' },
        {
          label: 'Billed in all',
          value: formatMoney(now.billed_in_all),
          hint: 'every line of every bill, without its sign',
        },
        {
          label: 'At this rate',
          value: `${formatMoney(now.rate_per_hour)}/h`,
          hint: `${formatMoney(now.accrued)} used and not booked yet`,
        },
      ]}
    />
  )
}
