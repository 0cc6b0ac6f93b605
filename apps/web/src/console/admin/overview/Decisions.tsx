import type { Decision } from '@ingot/contracts/admin/overview'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Kbd } from '../../../ui/Kbd.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusShape } from '../../../ui/StatusShape.tsx'
import { areSingleKeysOn, isTaken, useShortcut } from '../../../ui/shortcuts.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useSearchState } from '../../list/search-state.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { useDecidePayment, type Verdict } from '../acts/use-decide-payment.tsx'
import { decisionsQuery } from '../all-queries.ts'
import { opening, toTab } from '../tabs/tab-search.ts'
import { ageText } from './card-text.ts'
import { decisionText, kindMarks, kindWords } from './decision-text.ts'

/** Payments, machines and tickets that wait for a person, the oldest need first within a kind. */
export function Decisions() {
  const decisions = useQuery(decisionsQuery)
  return (
    <section aria-labelledby="decisions" className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-6 flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="decisions" className="text-heading">
          Decisions
        </h2>
        <p className="text-label font-normal text-muted pointer-coarse:hidden">
          <Kbd>J</Kbd> <Kbd>K</Kbd> move, <Kbd>A</Kbd> approve, <Kbd>R</Kbd> reject
        </p>
      </div>
      <QueryView
        query={decisions}
        failed="Failed to load dashboard data"
        consequence="What waits goes on waiting."
        skeleton={<SkeletonRows rows={3} columns={2} />}
      >
        {({ items }) =>
          items.length === 0 ? (
            <p className="rounded-panel border border-line bg-raised p-4 text-muted">
              Nothing waits for a decision.
            </p>
          ) : (
            <Queue items={items} />
          )
        }
      </QueryView>
    </section>
  )
}

/**
 * One at a time is in the order of Tab. J and K work here from wherever the focus is, but within the lists below, where
 * they move between rows; A and R need a decision that has the focus.
 */
function Queue({ items }: { readonly items: readonly Decision[] }) {
  const list = useRef<HTMLUListElement>(null)
  const [chosen, setChosen] = useState(0)
  const [isInside, setInside] = useState(false)
  const { ask, dialog } = useDecidePayment()
  const look = useLook()
  const current = Math.min(chosen, items.length - 1)
  const each = items[current]
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])]
  const decide = (verdict: Verdict) => {
    if (each?.kind === 'payment' && each.can_decide) ask(verdict, subjectOf(each))
  }
  useShortcut('a', () => decide('approve'), isInside)
  useShortcut('r', () => decide('reject'), isInside)

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target))
      return
    const target = event.target instanceof Element ? event.target : null
    const here = list.current?.contains(target) ?? false
    if (!here && target?.closest('[data-lists]')) return
    const step = { j: 1, k: -1, ...(here ? { ArrowDown: 1, ArrowUp: -1 } : {}) }[event.key]
    if (step !== undefined && (event.key.length > 1 || areSingleKeysOn())) {
      event.preventDefault()
      rows()[Math.max(0, Math.min(items.length - 1, here ? current + step : current))]?.focus()
    } else if (event.key === 'Enter' && target === rows()[current] && each) {
      event.preventDefault()
      look(each)
    }
  })
  /** Whatever takes the focus in a row makes it the current one. A dialog over the page leaves it so. */
  const onFocus = useEffectEvent((event: FocusEvent) => {
    const target = event.target instanceof Element ? event.target : null
    if (target?.closest('[role=dialog], [role=alertdialog]')) return
    const at = rows().findIndex(row => row.contains(target))
    if (at >= 0) setChosen(at)
    setInside(at >= 0)
  })
  useEffect(() => {
    const keydown = (event: KeyboardEvent) => onKeyDown(event)
    const focusin = (event: FocusEvent) => onFocus(event)
    document.addEventListener('keydown', keydown)
    document.addEventListener('focusin', focusin)
    return () => {
      document.removeEventListener('keydown', keydown)
      document.removeEventListener('focusin', focusin)
    }
  }, [])

  // Who decided the last one by keyboard goes on with what is now in its place.
  const count = useRef(items.length)
  useEffect(() => {
    if (items.length < count.current && document.activeElement === document.body && isInside)
      rows()[current]?.focus()
    count.current = items.length
  })

  return (
    <>
      <ul
        ref={list}
        aria-label="Decisions"
        className="max-h-log overflow-y-auto rounded-panel border border-line bg-raised"
      >
        {items.map((item, at) => (
          <DecisionRow
            key={`${item.kind} ${item.id}`}
            item={item}
            isReachable={at === current}
            onDecide={verdict => ask(verdict, subjectOf(item))}
            onLook={() => look(item)}
          />
        ))}
      </ul>
      {dialog}
    </>
  )
}

const subjectOf = ({ id, amount_usdt, user_email }: Decision) => ({
  id,
  amount_usdt: amount_usdt ?? '',
  user_email,
})

/** Where all about it stands. */
function useLook(): (item: Decision) => void {
  const [, change] = useSearchState()
  const navigate = useNavigate()
  return ({ kind, id }) => {
    if (kind === 'ticket') change(opening('ticket', id), { step: true })
    else if (kind === 'payment') change({ ...toTab('payments'), search: id }, { step: true })
    else void navigate({ to: '/admin/machines' })
  }
}

interface DecisionRowProps {
  readonly item: Decision
  readonly isReachable: boolean
  readonly onDecide: (verdict: Verdict) => void
  readonly onLook: () => void
}

function DecisionRow({ item, isReachable, onDecide, onLook }: DecisionRowProps) {
  const now = useNow(30_000).getTime()
  const offline = useOfflineReason()
  const { kind, since, user_email, can_decide } = item
  const isPayment = kind === 'payment' && can_decide
  return (
    <li
      // One row of several is in the order of Tab, and the keys act on it; what they do, its buttons do too.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={isReachable ? 0 : -1}
      className="flex gap-3 border-t border-line px-3 py-2 -outline-offset-2 first:border-t-0 focus:bg-selected"
    >
      <span className={`flex h-5 items-center ${kind === 'machine' ? 'text-danger' : 'text-warn'}`}>
        <StatusShape kind={kindMarks[kind]} />
      </span>
      <div className="min-w-0 grow">
        <p className="break-words">
          <strong className="font-semi">{kindWords[kind]}</strong> {decisionText(item)}
        </p>
        {user_email && <p className="truncate text-label font-normal text-muted">{user_email}</p>}
      </div>
      <div className="flex shrink-0 flex-col items-end gap-1">
        <time dateTime={since} title={since} className="text-label font-normal text-muted tabular-nums">
          {ageText(now - Date.parse(since))}
        </time>
        <span className="flex flex-wrap justify-end gap-1">
          {isPayment ? (
            <>
              <Button disabledReason={offline} onClick={() => onDecide('reject')}>
                Reject
              </Button>
              <Button disabledReason={offline} onClick={() => onDecide('approve')}>
                Approve
              </Button>
            </>
          ) : (
            <Button onClick={onLook}>{kind === 'ticket' ? 'Answer' : 'Look'}</Button>
          )}
        </span>
      </div>
    </li>
  )
}
