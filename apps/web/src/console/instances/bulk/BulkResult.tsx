import { startNeedsMicro } from '@ingot/contracts/instance-costs'
import type { Instance } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import { X } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Progress } from '../../../ui/Progress.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { sentence } from '../../shell/sentence.ts'
import { progressText, resultText } from './bulk-text.ts'
import type { BulkRun, useBulk } from './use-bulk.ts'

interface BulkResultProps {
  readonly run: BulkRun
  readonly bulk: ReturnType<typeof useBulk>
}

/** How far it is; then what was done, and of each that was not, why, and the way on. */
export function BulkResult({ run, bulk }: BulkResultProps) {
  const now = useNow(60_000)
  const { order, done, total, failed, notes, isOver } = run
  const { act } = order
  const full = failed.filter(({ isFull }) => isFull)
  const canUndo = isOver && done.length > 0 && canTakeBack(run)
  const queue = (waiting: typeof failed) => bulk.retry(waiting, { act: 'queue' })
  /** By one order: those of another have a button of their own. */
  const alike = failed.filter(each => each.order.act === failed[0]!.order.act)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <output aria-live="polite">
          {isOver ? resultText(act, done.length, total) : progressText(act, done.length, total)}
        </output>
        {canUndo && <Button onClick={bulk.undo}>Undo</Button>}
        {isOver && alike.length > 1 && (
          <Button onClick={() => bulk.retry(alike)}>Try all {alike.length} again</Button>
        )}
        {isOver && full.length > 1 && (
          <Button onClick={() => queue(full)}>
            Queue {full.length}, {formatMoney(formatUsd(needsOf(full, now)))} is set aside
          </Button>
        )}
        {isOver && (
          <IconButton label="Put this result away" className="ml-auto" onClick={bulk.putAway}>
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {!isOver && <Progress label="Done" value={done.length + failed.length} max={total} />}
      {(failed.length > 0 || notes.length > 0) && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        <ul tabIndex={0} aria-label="What to look at" className="max-h-chart overflow-y-auto">
          {notes.map(({ id, text }) => (
            <li key={id} className="border-t border-line py-2 text-warn">
              {text}
            </li>
          ))}
          {failed.map(each => (
            <li
              key={each.instance.id}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2"
            >
              <span className="min-w-0 grow">
                <strong className="font-semi break-all">{each.instance.name}</strong>:{' '}
                <span className="text-danger">{sentence(each.text)}</span>
                {each.isFull &&
                  ` In the queue it starts by itself; ${formatMoney(formatUsd(needsOf([each], now)))} is set aside.`}
              </span>
              {each.isFull && isOver && (
                <Button onClick={() => queue([each])} aria-label={`Queue ${each.instance.name}`}>
                  Queue
                </Button>
              )}
              {isOver && (
                <Button onClick={() => bulk.retry([each])} aria-label={`Try again: ${each.instance.name}`}>
                  Try again
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const needsOf = (full: readonly { readonly instance: Instance }[], now: Date): bigint =>
  full.reduce((sum, { instance }) => sum + startNeedsMicro(instance, now), 0n)

/** Only what leaves no trace in money or on the machine, and can be put back as it was. */
const canTakeBack = ({ order, done }: BulkRun): boolean =>
  (order.act === 'snooze' && done.every(({ snoozed_until }) => snoozed_until === null)) ||
  (order.act === 'autoShutdown' && order.choice !== 'before')
