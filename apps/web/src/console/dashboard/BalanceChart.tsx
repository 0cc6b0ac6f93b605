import type { BalanceHistory } from '@ingot/contracts/billing'
import { useQuery } from '@tanstack/react-query'
import { cx } from '../../ui/cx.ts'
import { formatMoney, formatRate } from '../../ui/format.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { CopyCall } from '../shell/CopyCall.tsx'
import { settingsQuery } from '../shell/api.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { useRunway, useWallet } from '../wallet/wallet.tsx'
import { type BalanceNow, balanceSentence, balanceShape, toneOf } from './balance.ts'
import { FigureTable } from '../../ui/FigureTable.tsx'
import { balanceQuery } from './queries.ts'
import { clockText, dateText, dayMs, dayText, momentText, spanText, weekdayText } from './times.ts'

/** What the balance was, and when it ends at the present rate. */
export function BalanceChart() {
  const query = useQuery(balanceQuery)
  const { data: settings } = useQuery(settingsQuery)
  const { spendingPerHour, isUnknown, isLoading } = useWallet()
  const { balanceUsd, emptyAt, now, credit } = useRunway()
  const present = { now, balance: balanceUsd, ratePerHour: spendingPerHour, emptyAt }
  return (
    <section
      aria-labelledby="balance"
      className="flex min-w-0 flex-col gap-2 rounded-panel border border-line bg-raised p-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h2 id="balance" className="text-heading">
          Balance
        </h2>
        <span className="text-label text-muted tabular-nums">at {formatRate(spendingPerHour)} per hour</span>
      </div>
      <QueryView
        query={query}
        failed="The balance of the last days could not be loaded"
        consequence="Nothing else is affected."
        skeleton={<Skeleton className="h-chart-tall" />}
      >
        {history =>
          isUnknown || isLoading ? (
            <p className="h-chart-tall text-muted">
              {isUnknown && 'The balance of now could not be loaded.'}
            </p>
          ) : (
            <Chart
              history={history}
              present={present}
              mails={settings?.usage_alerts === true && credit === 0n}
            />
          )
        }
      </QueryView>
    </section>
  )
}

interface ChartProps {
  readonly history: BalanceHistory
  readonly present: BalanceNow
  readonly mails: boolean
}

const tones = { calm: 'text-ink', warn: 'text-warn', danger: 'text-danger' } as const
const strokes = { calm: 'stroke-chart-1', warn: 'stroke-warn', danger: 'stroke-danger' } as const
/** Percent of the width that two words need between them. */
const apart = 16

function Chart({ history, present, mails }: ChartProps) {
  const { now, balance, emptyAt } = present
  const shape = balanceShape(history, present)
  const mail = mails ? shape.mail : null
  const tone = toneOf(present)
  const x = (at: number) => ((at - shape.from) / (shape.to - shape.from)) * 100
  const y = (usd: number) => 100 - (usd / shape.top) * 100
  const path = shape.past.map(({ at, usd }) => `${x(at).toFixed(2)} ${y(usd).toFixed(2)}`).join('L')
  const [, end] = shape.next
  const isEmpty = Number(balance) === 0
  return (
    <>
      <p className="text-muted tabular-nums">
        <strong className={cx('font-semi', tones[tone])}>
          {emptyAt === null ? 'No end at this rate.' : `${spanText(emptyAt - now)} left.`}
        </strong>
        {mail && ` Mail at $100, ${weekdayText(mail.at)} ${clockText(mail.at)} UTC.`}
      </p>
      <div
        // A picture that is drawn of lines, with its sentence.
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="img"
        aria-label={balanceSentence(history, present)}
        className="relative mt-4 mr-2 mb-8 ml-12 h-chart-tall text-label text-muted tabular-nums"
      >
        {shape.ticks.map(usd => (
          <span key={usd} aria-hidden style={{ top: `${y(usd)}%` }} className="absolute inset-x-0">
            <span
              className={cx('absolute inset-x-0 border-t', usd === 0 ? 'border-line-strong' : 'border-line')}
            />
            <span className="absolute right-full -translate-y-1/2 pr-2">{scaleText(usd)}</span>
          </span>
        ))}
        <svg
          aria-hidden
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible forced-color-adjust-none"
        >
          <path
            d={`M${path}`}
            vectorEffect="non-scaling-stroke"
            className="fill-none stroke-chart-1 stroke-2 [stroke-linejoin:round]"
          />
          <path
            d={`M${x(now)} ${y(shape.next[0].usd)}L${x(end.at)} ${y(end.usd)}`}
            vectorEffect="non-scaling-stroke"
            className={cx('fill-none stroke-2 [stroke-dasharray:5_4]', strokes[tone])}
          />
        </svg>
        <span
          aria-hidden
          style={{ left: `${x(now)}%` }}
          className="absolute inset-y-0 border-l border-dotted border-line-strong"
        />
        {depositLabels(shape.deposits, x).map(({ at, usd }) => (
          <span
            key={at}
            aria-hidden
            style={{ left: `${x(at)}%`, top: `${y(afterDeposit(shape.past, at))}%` }}
            className={cx(
              'absolute -translate-y-full bg-raised px-1 text-ink',
              // Beside what the balance is now there is no room.
              x(now) - x(at) < apart ? '-translate-x-full' : '-translate-x-1/2',
            )}
          >
            +{formatMoney(usd.toFixed(2), { wholeDollars: true })}
          </span>
        ))}
        {mail && (
          <Mark
            at={x(mail.at)}
            top={y(mail.usd)}
            className="size-2 rounded-full border-2 bg-raised"
            tone={tone}
          />
        )}
        <Mark at={x(now)} top={y(shape.next[0].usd)} className="size-2 rounded-full bg-chart-1" />
        <span
          aria-hidden
          style={{ left: `${x(now)}%`, top: `${y(shape.next[0].usd)}%` }}
          className={cx('absolute bg-raised px-1 font-semi text-ink', 'ml-2 -translate-y-full')}
        >
          {formatMoney(balance)}
        </span>
        {shape.isEndShown && !isEmpty && (
          <svg
            aria-hidden
            viewBox="0 0 10 10"
            style={{ left: `${x(end.at)}%`, top: '100%' }}
            className="absolute size-3 -translate-x-1/2 -translate-y-1/2 overflow-visible"
          >
            <path d="m1 1 8 8m0-8-8 8" className="stroke-ink stroke-2" />
          </svg>
        )}
        {emptyAt !== null && !isEmpty && (
          <span
            aria-hidden
            style={{ right: `${Math.max(0, 100 - x(end.at) - apart)}%` }}
            className={cx('absolute top-full mt-5 font-semi whitespace-nowrap', tones[tone])}
          >
            {shape.isEndShown ? `Empty ${dateText(emptyAt)} UTC` : `Empty on ${dayText(emptyAt)}`}
          </span>
        )}
        {days(shape.from, shape.to, x, x(now)).map(at => (
          <span
            key={at}
            aria-hidden
            style={{ left: `${x(at)}%` }}
            className="absolute top-full mt-1 -translate-x-1/2 font-normal whitespace-nowrap"
          >
            {dayText(at)}
          </span>
        ))}
        <span
          aria-hidden
          style={{ left: `${x(now)}%` }}
          className="absolute top-full mt-1 -translate-x-1/2 font-semi text-ink"
        >
          Now
        </span>
      </div>
      <div className="flex flex-wrap items-start gap-2">
        <FigureTable
          label="Balance"
          head={['Time (UTC)', 'Balance', 'Deposit']}
          rows={tableOf(history, present)}
        />
        <CopyCall call="billing.balance" values={{ days: 6 }} />
      </div>
    </>
  )
}

interface MarkProps {
  readonly at: number
  readonly top: number
  readonly className: string
  readonly tone?: keyof typeof tones
}

const borders = { calm: 'border-chart-1', warn: 'border-warn', danger: 'border-danger' } as const

function Mark({ at, top, className, tone = 'calm' }: MarkProps) {
  return (
    <span
      aria-hidden
      style={{ left: `${at}%`, top: `${top}%` }}
      className={cx(
        'absolute -translate-x-1/2 -translate-y-1/2 forced-color-adjust-none',
        borders[tone],
        className,
      )}
    />
  )
}

const scaleText = (usd: number): string =>
  usd === 0 ? '0' : formatMoney(usd.toFixed(2), { wholeDollars: true })

const afterDeposit = (past: readonly { at: number; usd: number }[], at: number): number =>
  Math.max(...past.filter(point => point.at === at).map(({ usd }) => usd), 0)

/** Those whose words have room, the newest first. */
function depositLabels<Deposit extends { readonly at: number }>(
  deposits: readonly Deposit[],
  x: (at: number) => number,
): Deposit[] {
  const kept: Deposit[] = []
  for (const deposit of deposits.toReversed())
    if (kept.every(each => Math.abs(x(each.at) - x(deposit.at)) > apart * 0.7)) kept.push(deposit)
  return kept
}

/** Midnights (UTC) whose words have room beside each other and beside "Now". */
function days(from: number, to: number, x: (at: number) => number, nowX: number): number[] {
  const kept: number[] = []
  for (let at = Math.ceil(from / dayMs) * dayMs; at < to; at += dayMs)
    if (
      Math.abs(x(at) - nowX) > apart * 0.7 &&
      x(at) > 4 &&
      x(at) < 96 &&
      x(at) - x(kept.at(-1) ?? -Infinity) > apart
    )
      kept.push(at)
  return kept
}

/** Every point, the deposits, and the end. */
function tableOf({ points, deposits }: BalanceHistory, { now, balance, emptyAt }: BalanceNow): string[][] {
  const paid = new Map(deposits.map(({ at, amount }) => [at, amount]))
  const rows = points.map(({ at, balance: usd }, index) => {
    // The step has a point before and one after: the deposit stands with the second.
    const isAfter = points[index + 1]?.at !== at
    const deposit = isAfter ? paid.get(at) : undefined
    return [
      momentText(Date.parse(at)),
      formatMoney(usd, { decimals: 6 }),
      deposit ? formatMoney(deposit) : '',
    ]
  })
  rows.push([`${dateText(now)}, now`, formatMoney(balance, { decimals: 6 }), ''])
  if (emptyAt !== null)
    rows.push([`${dateText(emptyAt)}, at this rate`, formatMoney('0', { decimals: 6 }), ''])
  return rows
}
