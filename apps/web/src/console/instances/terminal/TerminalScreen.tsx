import { IngotError } from '@ingot/contracts/errors'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { toast } from '../../../ui/toast.ts'
import { instanceQuery } from '../queries.ts'
import { useTitle } from '../../shell/title.ts'
import { readTerminalFacts } from '../open-terminal.ts'
import { FindBar } from './FindBar.tsx'
import { TerminalFooter } from './TerminalFooter.tsx'
import { TerminalHeader } from './TerminalHeader.tsx'
import { TerminalStatus } from './TerminalStatus.tsx'
import { TouchKeys } from './TouchKeys.tsx'
import { useTerminal } from './use-terminal.ts'
import { useVisibleHeight } from './use-visible-height.ts'

/** This page has no event stream of its own: a browser opens only a few at a time, and terminals are opened by the dozen. */
const whileOpenMs = 30_000
const whileWaitingMs = 2_000
/** As long as the last words of the shell can be read. */
const leaveAfterMs = 1_000

export function TerminalScreen() {
  const { instanceId = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  const height = useVisibleHeight()
  const backRef = useRef<HTMLAnchorElement>(null)
  const [isHidden, setHidden] = useState(false)
  const [isFinding, setFinding] = useState(false)
  const [everyMs, setEveryMs] = useState(whileWaitingMs)
  const [facts] = useState(() => readTerminalFacts(instanceId))
  const query = useQuery({ ...instanceQuery(instanceId), refetchInterval: everyMs })

  const toList = () => void navigate({ to: '/console/instances', replace: true })
  /** A tab that a script opened can close itself; any other goes to the list. */
  const leave = () => {
    window.close()
    toList()
  }
  const { containerRef, ...terminal } = useTerminal(instanceId, query.data, {
    onExit: () => setTimeout(leave, leaveAfterMs),
    onLeaveKeyboard: () => backRef.current?.focus(),
    onFind: () => setFinding(true),
  })
  const { phase, view } = terminal
  const isConnected = phase.kind === 'connected'
  if (everyMs !== (isConnected ? whileOpenMs : whileWaitingMs))
    setEveryMs(isConnected ? whileOpenMs : whileWaitingMs)

  /** Also when the address holds no id at all. */
  const isUnknown =
    query.error instanceof IngotError && /^(not_found|validation_failed)$/.test(query.error.code)
  const whenUnknown = useEffectEvent(() => {
    toast.error('Instance data not found')
    toList()
  })
  useEffect(() => {
    if (isUnknown) whenUnknown()
  }, [isUnknown])

  const instance = query.data ?? facts
  useTitle(instance ? `${instance.name} · Terminal` : undefined)
  const close = () => {
    terminal.disconnect()
    toast.success('Disconnected from instance')
    leave()
  }
  const endFind = () => {
    setFinding(false)
    view()?.endFind()
    view()?.focus()
  }
  const toggle = () => {
    setHidden(!isHidden)
    if (isHidden) requestAnimationFrame(() => view()?.focus())
  }

  return (
    <div className="flex h-dvh flex-col bg-sunken" style={height === null ? undefined : { height }}>
      <TerminalHeader
        backRef={backRef}
        facts={instance}
        phase={phase}
        isHidden={isHidden}
        settings={terminal.settings}
        canGrow={terminal.canGrow}
        canShrink={terminal.canShrink}
        onGrow={terminal.grow}
        onFind={() => setFinding(true)}
        onScreenReader={terminal.toggleScreenReader}
        onToggle={toggle}
        onClose={close}
      />
      <TerminalStatus
        phase={phase}
        end={terminal.end}
        isBroken={terminal.isBroken}
        instance={query.data}
        onReconnect={terminal.reconnect}
      />
      {isFinding && !isHidden && (
        <FindBar
          matches={terminal.matches}
          onFind={(text, direction, incremental) => view()?.find(text, direction, incremental)}
          onClose={endFind}
        />
      )}
      {isHidden && (
        <main className="flex grow flex-col items-start gap-3 p-4">
          <p className="text-muted">The terminal is hidden. Its connection stays open.</p>
          <Button onClick={toggle}>Show terminal</Button>
        </main>
      )}
      <main hidden={isHidden} className={cx('min-h-0 grow flex-col', isHidden ? 'hidden' : 'flex')}>
        <div className="flex min-h-0 grow p-2">
          <div ref={containerRef} className="min-w-0 grow overflow-hidden font-mono" />
        </div>
        <TouchKeys
          isCtrlHeld={terminal.isCtrlHeld}
          onCtrl={terminal.holdCtrl}
          onPress={keys => view()?.press(keys)}
        />
      </main>
      <TerminalFooter />
    </div>
  )
}
