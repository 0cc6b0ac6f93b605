/**
 * One shell of a window: its emulator in a container, the phase of its connection, and what follows from that. The
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
import { endShell } from './end-shell.ts'
import type { TerminalSettings } from './terminal-settings.ts'
import { withCtrl } from './touch-input.ts'

/** `exited`: the shell is over. `stopped`: the instance does not run. */
export type TerminalEnd = 'exited' | 'stopped' | null

export interface TerminalOptions {
  readonly instanceId: string
  readonly instance: Instance | undefined
  readonly terminalId: string
  /** Read to those who do not see it. */
  readonly label: string
  readonly settings: TerminalSettings
  /** It is in front: it takes the keyboard when it is connected. */
  readonly isShown: boolean
  /** Of several, the first one said what there is to say of a connection. */
  readonly isQuiet: boolean
  /** Asked when it is connected: somebody may be going along the tabs of the page with keys. */
  readonly mayTakeFocus: () => boolean
  readonly onPhase: (phase: TerminalPhase) => void
  /** The shell exited. */
  readonly onExit: () => void
  readonly onLeaveKeyboard: () => void
  readonly onFind: () => void
  readonly onSwitch: (by: 1 | -1) => void
}

export function useTerminal(options: TerminalOptions) {
  const { instanceId, instance, terminalId, settings, isShown } = options
  const cache = useQueryClient()
  const containerRef = useRef<HTMLDivElement>(null)
  const session = useRef<TerminalSession>(null)
  const [phase, setPhase] = useState<TerminalPhase>({ kind: 'connecting' })
  const [end, setEnd] = useState<TerminalEnd>(null)
  const [isBroken, setBroken] = useState(false)
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
      options.onExit()
    } catch (error) {
      // The page itself sees that an instance is not there.
      if (streamEnded && !(error instanceof IngotError && error.code === 'not_found'))
        session.current?.client.connect()
    }
  }

  const onPhase = useEffectEvent((next: TerminalPhase) => {
    setPhase(next)
    options.onPhase(next)
    if (next.kind === 'connecting') setEnd(null)
    if (next.kind === 'connected') {
      if (!wasConnected.current && !options.isQuiet) toast.success('Connected to instance')
      wasConnected.current = true
      if (isShown && options.mayTakeFocus()) session.current?.view.focus()
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
  const onLeave = useEffectEvent(options.onLeaveKeyboard)
  const onFind = useEffectEvent(options.onFind)
  const onSwitch = useEffectEvent(options.onSwitch)
  const initial = useEffectEvent(() => ({
    label: options.label,
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
        terminalId,
        onPhase: next => gone || onPhase(next),
        mapInput: data => mapInput(data),
        onLeave: () => onLeave(),
        onFind: () => onFind(),
        onSwitch: by => onSwitch(by),
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
      onPhase({ kind: 'disconnected', why: 'closed' })
    })
    return () => {
      gone = true
      close()
    }
  }, [instanceId, terminalId])

  const { fontSize, screenReader } = settings
  useEffect(() => {
    session.current?.view.setFontSize(fontSize)
    session.current?.view.setScreenReader(screenReader)
  }, [fontSize, screenReader])

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

  return {
    containerRef,
    phase,
    end,
    isBroken,
    matches,
    isCtrlHeld,
    holdCtrl: setCtrlHeld,
    reconnect,
    disconnect: () => session.current?.client.close(),
    view: () => session.current?.view ?? null,
    /** With what runs in it. One that is not connected is joined to be ended. */
    endShell() {
      if (session.current?.client.end()) return
      endShell(instanceId, terminalId).catch(() => {})
    },
  }
}
