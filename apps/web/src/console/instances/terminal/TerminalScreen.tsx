import { IngotError } from '@ingot/contracts/errors'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'
import { useTitle } from '../../shell/title.ts'
import { readTerminalFacts } from '../open-terminal.ts'
import { instanceQuery } from '../queries.ts'
import { TerminalFooter } from './TerminalFooter.tsx'
import { TerminalHeader } from './TerminalHeader.tsx'
import { TerminalWindow } from './TerminalWindow.tsx'
import { useShells } from './use-shells.ts'
import { useVisibleHeight } from './use-visible-height.ts'

/** As long as the last words of the shell can be read. */
const leaveAfterMs = 1_000

export function TerminalScreen() {
  const { instanceId = '' } = useParams({ strict: false })
  return <Screen key={instanceId} instanceId={instanceId} />
}

/** A window of its own, with shells of its own. */
function Screen({ instanceId }: { readonly instanceId: string }) {
  const navigate = useNavigate()
  const height = useVisibleHeight()
  const backRef = useRef<HTMLAnchorElement>(null)
  const [isHidden, setHidden] = useState(false)
  const [facts] = useState(() => readTerminalFacts(instanceId))
  const query = useQuery(instanceQuery(instanceId))

  const toList = () => void navigate({ to: '/console/instances', replace: true })
  /** A tab that a script opened can close itself; any other goes to the list. */
  const leave = () => {
    window.close()
    toList()
  }
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
  const toggle = () => setHidden(!isHidden)
  const shells = useShells({
    instanceId,
    place: instanceId,
    onLastExit() {
      toast.success('Disconnected from instance')
      setTimeout(leave, leaveAfterMs)
    },
  })
  return (
    <div className="flex h-dvh flex-col bg-sunken" style={height === null ? undefined : { height }}>
      <TerminalHeader
        backRef={backRef}
        facts={instance}
        tools={shells.tools}
        isHidden={isHidden}
        onToggle={toggle}
        onClose={() => {
          shells.tools.disconnect()
          toast.success('Disconnected from instance')
          leave()
        }}
      />
      {isHidden && (
        <main className="flex grow flex-col items-start gap-3 p-4">
          <p className="text-muted">The terminal is hidden. Its connection stays open.</p>
          <Button onClick={toggle}>Show terminal</Button>
        </main>
      )}
      <TerminalWindow
        of={shells}
        name={instance?.name ?? 'the instance'}
        as="main"
        isHidden={isHidden}
        stays={false}
        onLeaveKeyboard={() => backRef.current?.focus()}
      />
      <TerminalFooter />
    </div>
  )
}
