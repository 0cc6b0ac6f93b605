import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { consolePages, goKeys } from './pages.ts'
import { SingleKeys } from '../shell/SingleKeys.tsx'

interface KeysDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

const groups = [
  {
    title: 'Everywhere',
    isWide: false,
    keys: [
      ['Ctrl K', 'Search or run a command'],
      ['?', 'This list'],
      ['/', 'Filter the list'],
      ['C', 'Create'],
    ],
  },
  {
    title: 'In a table',
    isWide: false,
    keys: [
      ['J, K', 'Next and previous row'],
      ['Enter', 'Open the row'],
      ['X, Space', 'Select the row'],
      ['Shift', 'with one of them: a range'],
      ['Esc', 'Clear the selection'],
      ['.', 'Menu of the row'],
    ],
  },
  {
    title: 'On the page of an instance',
    isWide: false,
    keys: [
      ['O', 'Connect'],
      ['T', 'Open its terminal'],
    ],
  },
  { title: 'Go to', isWide: true, keys: consolePages.map(page => [goKeys(page), page.label]) },
] as const

export function KeysDialog({ open, onOpenChange }: KeysDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard">
      <div className="grid gap-6 sm:grid-cols-2">
        {groups.map(group => (
          <section key={group.title} className={group.isWide ? 'sm:col-span-2' : undefined}>
            <h3 className="pb-1 text-label text-muted">{group.title}</h3>
            <dl className={cx('grid gap-x-6', group.isWide && 'sm:grid-cols-2')}>
              {group.keys.map(([keys, act]) => (
                <div key={keys} className="flex items-center justify-between gap-4 border-t border-line py-1">
                  <dt>{act}</dt>
                  <dd>
                    <Kbd>{keys}</Kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="mt-6 border-t border-line pt-4">
        <SingleKeys />
      </div>
    </Dialog>
  )
}
