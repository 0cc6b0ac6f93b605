/**
 * A terminal on a page: its emulator in a container, the phase of its connection, and what follows from that. The
 * server decides whether a stream that ended was an `exit` or a machine that stopped: it is asked.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { Instance } from '@ingot/contracts/instances'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { instanceQuery } from '../queries.ts'
import type { TerminalPhase } from './terminal-client.ts'
import type { TerminalSession } from './terminal-session.ts'
import {
  clampFontSize,
  fontSizes,
  forgetTerminalId,
  keepSettings,
  readSettings,
  type TerminalSettings,
} from './terminal-settings.ts'
import { withCtrl } from './touch-input.ts'

/** `exited`: the shell is over. `stopped`: the instance does not run. */
export type TerminalEnd = 'exited' | 'stopped' | null

interface TerminalActions {
  /** The shell exited: the page may go. */
  readonly onExit: () => void
  readonly onLeaveKeyboard: () => void
  readonly onFind: () => void
}

export function useTerminal(instanceId: string, instance: Instance | undefined, actions: TerminalActions) {
  const cache = useQueryClient()
  const containerRef = useRef<HTMLDivElement>(null)
  const session = useRef<TerminalSession>(null)
  const [phase, setPhase] = useState<TerminalPhase>({ kind: 'connecting' })
  const [end, setEnd] = useState<TerminalEnd>(null)
  const [isBroken, setBroken] = useState(false)
  const [settings, setSettings] = useState<TerminalSettings>(readSettings)
  const [matches, setMatches] = useState({ index: -1, count: 0 })
  const [isCtrlHeld, setCtrlHeld] = useState(false)
  /** Whether it was connected since it was last asked to: the toasts are for what a person did, not for each retry. */
  const wasConnected = useRef(false)
  const hasFailed = useRef(false)

  const judgeEnd = async (streamEnded: boolean) => {
    try {
      const now = await api.instances.get({ id: instanceId })
      cache.setQueryData(instanceQuery(instanceId).queryKey, now)
      if (now.status !== 'running') return setEnd('stopped')
      if (!streamEnded) return session.current?.client.connect()
      setEnd('exited')
      forgetTerminalId(instanceId)
      toast.success('Disconnected from instance')
      actions.onExit()
    } catch (error) {
      // The page itself sees that an instance is not there.
      if (streamEnded && !(error instanceof IngotError && error.code === 'not_found'))
        session.current?.client.connect()
    }
  }

  const onPhase = useEffectEvent((next: TerminalPhase) => {
    setPhase(next)
    if (next.kind === 'connecting') setEnd(null)
    if (next.kind === 'connected') {
      if (!wasConnected.current) toast.success('Connected to instance')
      wasConnected.current = true
      session.current?.view.focus()
    }
    if (next.kind === 'waiting' && !wasConnected.current && !hasFailed.current) {
      hasFailed.current = true
      toast.error('Connection failed')
    }
    if (next.kind !== 'disconnected') return
    if (next.why === 'ended') void judgeEnd(true)
    else if (next.why === 'refused' && next.error.code === 'invalid_state') void judgeEnd(false)
  })
  const mapInput = useEffectEvent((data: string) => {
    if (!isCtrlHeld) return data
    setCtrlHeld(false)
    return withCtrl(data)
  })
  const onLeave = useEffectEvent(actions.onLeaveKeyboard)
  const onFind = useEffectEvent(actions.onFind)
  const initial = useEffectEvent(() => ({
    label: `Terminal of ${instance?.name ?? 'the instance'}`,
    ...settings,
  }))

  useEffect(() => {
    const place = containerRef.current
    if (!place) return
    let gone = false
    let opened: TerminalSession | null = null
    const open = async () => {
      const { openSession } = await import('./terminal-session.ts')
      if (gone) return
      opened = await openSession(place, {
        ...initial(),
        instanceId,
        onPhase: next => gone || onPhase(next),
        mapInput: data => mapInput(data),
        onLeave: () => onLeave(),
        onFind: () => onFind(),
        onMatches: setMatches,
      })
      if (gone) return close()
      session.current = opened
      opened.client.connect()
    }
    const close = () => {
      opened?.client.close()
      opened?.view.dispose()
      session.current = null
    }
    open().catch(() => {
      if (gone) return
      setBroken(true)
      setPhase({ kind: 'disconnected', why: 'closed' })
    })
    return () => {
      gone = true
      close()
    }
  }, [instanceId])

  const reconnect = () => {
    wasConnected.current = false
    hasFailed.current = false
    session.current?.client.connect()
  }
  const runsAgain = end === 'stopped' && instance?.status === 'running'
  const whenRunning = useEffectEvent(reconnect)
  useEffect(() => {
    if (runsAgain) whenRunning()
  }, [runsAgain])

  /** Back on the network: what waits for its next try need not. */
  useEffect(() => {
    const onOnline = () => session.current?.client.connect()
    if (phase.kind !== 'waiting') return
    window.addEventListener('online', onOnline)
    return () => window.removeEventListener('online', onOnline)
  }, [phase.kind])

  const change = (next: TerminalSettings) => {
    setSettings(next)
    keepSettings(next)
    session.current?.view.setFontSize(next.fontSize)
    session.current?.view.setScreenReader(next.screenReader)
  }
  return {
    containerRef,
    phase,
    end,
    isBroken,
    settings,
    matches,
    isCtrlHeld,
    holdCtrl: setCtrlHeld,
    reconnect,
    disconnect: () => session.current?.client.close(),
    view: () => session.current?.view ?? null,
    grow: (by: 1 | -1) => change({ ...settings, fontSize: clampFontSize(settings.fontSize + by * 2) }),
    canGrow: settings.fontSize < fontSizes.largest,
    canShrink: settings.fontSize > fontSizes.smallest,
    toggleScreenReader: () => change({ ...settings, screenReader: !settings.screenReader }),
  }
}
