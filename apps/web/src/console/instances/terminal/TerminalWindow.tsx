import { Plus, X } from 'lucide-react'
import { Tabs as Radix } from 'radix-ui'
import { type KeyboardEvent, useState } from 'react'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { cx } from '../../../ui/cx.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { tabClass } from '../../../ui/Tabs.tsx'
import { ShellPane } from './ShellPane.tsx'
import { type Shell, whyNoMore } from './shells.ts'
import type { ShellsOfWindow } from './use-shells.ts'

interface TerminalWindowProps {
  readonly of: ShellsOfWindow
  /** Of the instance. */
  readonly name: string
  /** `main`: it is the page's content. */
  readonly as: 'main' | 'div'
  readonly isHidden: boolean
  /** After the last shell has exited the window stays, and offers another. */
  readonly stays: boolean
  readonly mayTakeFocus?: () => boolean
  readonly onLeaveKeyboard: () => void
}

const always = () => true

/** Its shells, each under a tab. */
export function TerminalWindow({
  of,
  name,
  as: Frame,
  isHidden,
  stays,
  mayTakeFocus = always,
  onLeaveKeyboard,
}: TerminalWindowProps) {
  const { shells } = of
  const [closing, setClosing] = useState<Shell | null>(null)
  const isAlone = shells.list.length === 1
  const front = shells.list.find(({ id }) => id === shells.shown)!
  const onTabKey = (event: KeyboardEvent, shell: Shell) => {
    if (event.key !== 'Delete' || isAlone) return
    event.preventDefault()
    setClosing(shell)
  }
  return (
    <>
      <Radix.Root value={shells.shown} onValueChange={of.show} activationMode="manual" asChild>
        <Frame className={cx('min-h-0 grow flex-col', isHidden ? 'hidden' : 'flex')}>
          <div className="flex items-center gap-2 border-b border-line bg-raised px-3">
            <Radix.List
              aria-label="Shells"
              className="flex min-w-0 gap-4 overflow-x-auto overflow-y-hidden pb-px"
            >
              {shells.list.map(shell => (
                <Radix.Trigger
                  key={shell.id}
                  value={shell.id}
                  onKeyDown={event => onTabKey(event, shell)}
                  className={tabClass}
                >
                  Shell {shell.number}
                </Radix.Trigger>
              ))}
            </Radix.List>
            <IconButton label="New shell" disabledReason={whyNoMore(shells)} onClick={of.open}>
              <Plus size={16} aria-hidden />
            </IconButton>
            {!isAlone && (
              <IconButton
                label={`Close shell ${front.number}`}
                className="ml-auto"
                onClick={() => setClosing(front)}
              >
                <X size={16} aria-hidden />
              </IconButton>
            )}
          </div>
          {shells.list
            .filter(({ id }) => of.seen.has(id))
            .map(({ id, number }) => (
              <Radix.Content
                key={id}
                value={id}
                forceMount
                tabIndex={-1}
                className="flex min-h-0 grow flex-col outline-none data-[state=inactive]:hidden"
              >
                <ShellPane
                  handle={handle => of.hold(id, handle)}
                  instanceId={of.instanceId}
                  instance={of.instance}
                  terminalId={id}
                  label={isAlone ? `Terminal of ${name}` : `Terminal of ${name}, shell ${number}`}
                  settings={of.settings}
                  isShown={id === shells.shown}
                  isHidden={isHidden}
                  isQuiet={!isAlone}
                  onPhase={next => of.onPhase(id, next)}
                  onExit={() => of.exited(id)}
                  onAnother={stays ? of.startAfresh : null}
                  onLeaveKeyboard={onLeaveKeyboard}
                  mayTakeFocus={mayTakeFocus}
                  onSwitch={of.step}
                />
              </Radix.Content>
            ))}
        </Frame>
      </Radix.Root>
      <ConfirmDialog
        open={closing !== null}
        onOpenChange={() => setClosing(null)}
        title={`Close shell ${closing?.number ?? ''}`}
        confirmLabel="Close shell"
        onConfirm={() => {
          if (closing) of.close(closing.id)
          setClosing(null)
        }}
      >
        What runs in it ends. The other shells and the instance run on.
      </ConfirmDialog>
    </>
  )
}
