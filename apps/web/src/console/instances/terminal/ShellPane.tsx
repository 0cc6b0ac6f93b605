import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import { instanceSource } from '../../files/source.ts'
import { whyNoUploads } from '../../files/upload-file.ts'
import { UploadRows } from '../../files/UploadRows.tsx'
import { addUploads } from '../../files/uploads.ts'
import { useFileDrop } from '../../files/use-file-drop.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { FindBar } from './FindBar.tsx'
import { TerminalStatus } from './TerminalStatus.tsx'
import { TouchKeys } from './TouchKeys.tsx'
import { type TerminalOptions, useTerminal } from './use-terminal.ts'

/** What a window asks of one of its shells. */
export interface ShellHandle {
  focus(): void
  find(): void
  disconnect(): void
  /** Ends the shell with what runs in it. */
  end(): void
}

interface ShellPaneProps extends Omit<TerminalOptions, 'onFind'> {
  readonly handle: Ref<ShellHandle>
  /** Nothing of the window is seen. */
  readonly isHidden: boolean
  /** Once the shell has ended: another one in its place. */
  readonly onAnother: (() => void) | null
}

/** Where what is dropped goes while the shell does not say where it is. */
const usualFolder = '/workspace'

/** One shell: why it does not answer, its screen, what was dropped on it, and the keys that a phone lacks. */
export function ShellPane({ handle, isHidden, onAnother, ...options }: ShellPaneProps) {
  const [isFinding, setFinding] = useState(false)
  const { containerRef, ...terminal } = useTerminal({ ...options, onFind: () => setFinding(true) })
  const { phase, view } = terminal
  useImperativeHandle(handle, () => ({
    focus: () => view()?.focus(),
    find: () => setFinding(true),
    disconnect: terminal.disconnect,
    end: terminal.endShell,
  }))
  const offline = useOfflineReason()
  const drop = useFileDrop(
    chosen => addUploads(instanceSource(options.instanceId), view()?.folder() ?? usualFolder, chosen),
    whyNoUploads() ?? offline,
  )
  const inFront = useEffectEvent(() => requestAnimationFrame(() => view()?.focus()))
  const isSeen = options.isShown && !isHidden
  useEffect(() => {
    if (isSeen) inFront()
  }, [isSeen])
  const endFind = () => {
    setFinding(false)
    view()?.endFind()
    view()?.focus()
  }
  return (
    <>
      <TerminalStatus
        phase={phase}
        end={terminal.end}
        isBroken={terminal.isBroken}
        instance={options.instance}
        onReconnect={terminal.reconnect}
        onAnother={onAnother}
      />
      {isFinding && !isHidden && (
        <FindBar
          matches={terminal.matches}
          onFind={(text, direction, incremental) => view()?.find(text, direction, incremental)}
          onClose={endFind}
        />
      )}
      <div className={cx('min-h-0 grow flex-col', isHidden ? 'hidden' : 'flex')}>
        <div className="max-h-1/2 shrink-0 overflow-y-auto p-2 pb-0 empty:hidden">
          {options.isShown && <UploadRows id={options.instanceId} />}
        </div>
        <div
          role="presentation"
          className={cx('flex min-h-0 grow p-2', drop.isOver && 'outline-2 -outline-offset-2 outline-focus')}
          {...drop.target}
        >
          <div ref={containerRef} className="min-w-0 grow overflow-hidden font-mono" />
        </div>
        <TouchKeys
          isCtrlHeld={terminal.isCtrlHeld}
          onCtrl={terminal.holdCtrl}
          onPress={keys => view()?.press(keys)}
        />
      </div>
    </>
  )
}
