import { autoShutdownOptions, type Instance } from '@ingot/contracts/instances'
import { ChevronDown, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx'
import { toast } from '../../../ui/toast.ts'
import { useCopy } from '../../../ui/use-copy.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { snoozeChoices, snoozeUntil, snoozeWords } from '../settings/idle-text.ts'
import { serviceNow } from '../settings/SnoozeControl.tsx'
import { BulkDeleteDialog } from './BulkDeleteDialog.tsx'
import { BulkResult } from './BulkResult.tsx'
import { type BulkAct, costText, eligible, whyNone } from './bulk-text.ts'
import type { BulkOrder, useBulk } from './use-bulk.ts'
import { curlOf } from '../../shell/CopyCall.tsx'

interface BulkBarProps {
  /** As they are now. */
  readonly selected: readonly Instance[]
  /** How many of them the table does not show. */
  readonly hidden: number
  /** More match the filter than are selected: the way to all of them. */
  readonly selectAll: ReactNode
  readonly bulk: ReturnType<typeof useBulk>
  readonly onClear: () => void
}

const words = { start: 'Start', stop: 'Stop', restart: 'Restart', delete: 'Delete' } as const
type Named = keyof typeof words
const curls: Record<Named, (id: string) => string> = {
  start: id => curlOf('instances.start', { id }),
  stop: id => curlOf('instances.stop', { id }),
  restart: id => curlOf('instances.restart', { id }),
  delete: id => curlOf('instances.delete', { id }),
}

/** At the bottom while rows are selected: how many, what can be done with them, what that costs, and how it went. */
export function BulkBar({ selected, hidden, selectAll, bulk, onClear }: BulkBarProps) {
  const offline = useOfflineReason()
  const now = useNow(60_000)
  const [, copy] = useCopy()
  const [isDeleting, setDeleting] = useState(false)
  const { run, isBusy, perform } = bulk
  const busy = isBusy ? 'Wait until the last act is done.' : null
  const why = (act: BulkAct) => offline ?? busy ?? whyNone(act, selected)
  const label = (act: Named) => {
    const count = eligible(act, selected).length
    return count > 0 ? `${words[act]} ${count}` : words[act]
  }
  const order = (wanted: BulkOrder) => perform(wanted, eligible(wanted.act, selected))
  const copyCurl = (act: Named) =>
    void copy(
      eligible(act, selected)
        .map(({ id }) => curls[act](id))
        .join('\n'),
    ).then(done =>
      done ? toast.success('Copied to clipboard') : toast.error('The clipboard was refused by the browser'),
    )
  const costs = costText(selected, now)
  const item = (name: string, wanted: BulkOrder) => (
    <MenuItem key={name} onSelect={() => order(wanted)} disabledReason={why(wanted.act)}>
      {name}
    </MenuItem>
  )
  if (selected.length === 0 && run === null) return null
  return (
    <section
      aria-label="Selected instances"
      className="sticky bottom-4 z-sticky flex flex-col gap-2 rounded-panel border border-line bg-raised p-3 shadow-float"
    >
      {selected.length > 0 && (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <p aria-live="polite" className="mr-2 font-semi">
              {selected.length} selected
              {hidden > 0 && <span className="font-normal text-muted">, {hidden} not shown here</span>}
            </p>
            {selectAll}
            <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
              {(['start', 'stop', 'restart'] as const).map(act => (
                <Button key={act} disabledReason={why(act)} onClick={() => order({ act })}>
                  {label(act)}
                </Button>
              ))}
              <Menu
                trigger={
                  <Button icon={<ChevronDown size={16} aria-hidden />} disabledReason={busy}>
                    More
                  </Button>
                }
              >
                {snoozeChoices.map(choice =>
                  item(`Keep on: ${snoozeWords[choice].toLowerCase()}`, {
                    act: 'snooze',
                    until: snoozeUntil(choice, serviceNow()),
                  }),
                )}
                <MenuSeparator />
                {item('Auto-shutdown: off', { act: 'autoShutdown', choice: 'off' })}
                {autoShutdownOptions.map(choice =>
                  item(`Auto-shutdown: after ${choice} idle minutes`, { act: 'autoShutdown', choice }),
                )}
                <MenuSeparator />
                {(['start', 'stop', 'restart', 'delete'] as const).map(act => (
                  <MenuItem key={act} onSelect={() => copyCurl(act)} disabledReason={whyNone(act, selected)}>
                    Copy as curl: {label(act).toLowerCase()}
                  </MenuItem>
                ))}
              </Menu>
              <Button variant="danger" disabledReason={why('delete')} onClick={() => setDeleting(true)}>
                {label('delete')}
              </Button>
              <IconButton label="Clear the selection (Escape)" onClick={onClear}>
                <X size={16} aria-hidden />
              </IconButton>
            </div>
          </div>
          {costs && <p className="text-label font-normal text-muted">{costs}</p>}
        </>
      )}
      {run && <BulkResult run={run} bulk={bulk} />}
      {isDeleting && (
        <BulkDeleteDialog
          instances={eligible('delete', selected)}
          onClose={() => setDeleting(false)}
          onConfirm={() => {
            setDeleting(false)
            order({ act: 'delete' })
          }}
        />
      )}
    </section>
  )
}
