import type { Instance } from '@ingot/contracts/instances'
import { useRef, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { toast } from '../../../ui/toast.ts'
import { openTerminal } from '../open-terminal.ts'
import { TerminalFooter } from './TerminalFooter.tsx'
import { phaseStates } from './phase-states.ts'
import { TerminalWindow } from './TerminalWindow.tsx'
import { ToolButtons } from './ToolButtons.tsx'
import { useShells } from './use-shells.ts'

interface TerminalTabProps {
  readonly instance: Instance
  /** Whether what was done last on the page was done with a key: who goes along its tabs so keeps the focus there. */
  readonly goesByKeys: () => boolean
}

/** Shells inside the instance's page. They are others than those of a window of its own. */
export function TerminalTab({ instance, goesByKeys }: TerminalTabProps) {
  const { id, name } = instance
  const bar = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const mayTakeFocus = () => {
    const focused = document.activeElement
    return !goesByKeys() || focused?.role !== 'tab' || frame.current?.contains(focused) === true
  }
  const [isLarge, setLarge] = useState(false)
  const shells = useShells({
    instanceId: id,
    place: `page:${id}`,
    onLastExit: () => toast.success('Disconnected from instance'),
  })
  const { kind, word } = phaseStates[shells.tools.phase.kind]
  return (
    <div ref={frame} className="flex flex-col overflow-clip rounded-panel border border-line bg-sunken">
      <div className={cx('flex flex-col', isLarge ? 'h-dvh' : 'h-terminal')}>
        <div
          ref={bar}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-raised px-3 py-1"
        >
          <output className="flex">
            <StatusMark kind={kind}>{word}</StatusMark>
          </output>
          <div className="ml-auto flex flex-wrap gap-1">
            <ToolButtons tools={shells.tools} isHidden={false} />
            <Button
              variant="ghost"
              aria-pressed={isLarge}
              onClick={() => setLarge(!isLarge)}
              className="max-sm:hidden"
            >
              {isLarge ? 'Smaller' : 'Larger'}
            </Button>
            <Button onClick={() => openTerminal(instance)}>Open in a window</Button>
          </div>
        </div>
        <TerminalWindow
          of={shells}
          name={name}
          as="div"
          isHidden={false}
          stays
          mayTakeFocus={mayTakeFocus}
          onLeaveKeyboard={() => bar.current?.querySelector('button')?.focus()}
        />
      </div>
      <TerminalFooter />
    </div>
  )
}
