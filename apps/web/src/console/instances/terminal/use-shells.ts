/**
 * The shells of one window and what is done with them. One that was not looked at since the page was opened is not
 * connected yet; from then on it stays connected, also behind another.
 */
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { instanceQuery } from '../queries.ts'
import { endShell } from './end-shell.ts'
import type { ShellHandle } from './ShellPane.tsx'
import {
  beside,
  keepShells,
  newShells,
  readShells,
  showing,
  type Shells,
  withNew,
  without,
} from './shells.ts'
import type { TerminalPhase } from './terminal-client.ts'
import { clampFontSize, keepSettings, readSettings, type TerminalSettings } from './terminal-settings.ts'

/** Some of this page has no event stream of its own: a browser opens only a few at a time, and terminals are opened by the dozen. */
const whileOpenMs = 30_000
const whileWaitingMs = 2_000

/** What stands around the shells and acts on the one in front. */
export interface TerminalTools {
  readonly phase: TerminalPhase
  readonly settings: TerminalSettings
  readonly onGrow: (by: 1 | -1) => void
  readonly onScreenReader: () => void
  readonly onFind: () => void
  /** Lets go of all of them; they run on. */
  readonly disconnect: () => void
}

const connecting: TerminalPhase = { kind: 'connecting' }

interface WindowOptions {
  readonly instanceId: string
  /** Under which its shells are kept. */
  readonly place: string
  /** The last shell exited. */
  readonly onLastExit: () => void
}

export type ShellsOfWindow = ReturnType<typeof useShells>

export function useShells({ instanceId, place, onLastExit }: WindowOptions) {
  const [shells, setShells] = useState(() => readShells(place))
  const [seen, setSeen] = useState<ReadonlySet<string>>(() => new Set([shells.shown]))
  const [phases, setPhases] = useState<ReadonlyMap<string, TerminalPhase>>(() => new Map())
  const [settings, setSettings] = useState(readSettings)
  const handles = useRef(new Map<string, ShellHandle>())
  const phase = phases.get(shells.shown) ?? connecting
  const { data: instance } = useQuery({
    ...instanceQuery(instanceId),
    refetchInterval: phase.kind === 'connected' ? whileOpenMs : whileWaitingMs,
  })

  /** Shells may exit at the same moment: each change begins from what the one before it made. */
  const latest = useRef(shells)
  const change = (make: (before: Shells) => Shells) => {
    const next = make(latest.current)
    latest.current = next
    setShells(next)
    setSeen(before => new Set([...before, next.shown]))
    keepShells(place, next)
  }
  const shown = () => handles.current.get(shells.shown)
  const step = (by: 1 | -1) => change(before => showing(before, beside(before, by)))
  const exited = (id: string) => {
    if (latest.current.list.length > 1) return change(before => without(before, id) ?? before)
    keepShells(place, null)
    onLastExit()
  }
  const close = (id: string) => {
    const handle = handles.current.get(id)
    if (handle) handle.end()
    else endShell(instanceId, id).catch(() => {})
    change(before => without(before, id) ?? newShells())
  }
  const keep = (next: TerminalSettings) => {
    setSettings(next)
    keepSettings(next)
  }
  const tools: TerminalTools = {
    phase,
    settings,
    onGrow: by => keep({ ...settings, fontSize: clampFontSize(settings.fontSize + by * 2) }),
    onScreenReader: () => keep({ ...settings, screenReader: !settings.screenReader }),
    onFind: () => shown()?.find(),
    disconnect() {
      for (const handle of handles.current.values()) handle.disconnect()
    },
  }
  return {
    instanceId,
    instance,
    shells,
    seen,
    settings,
    tools,
    show: (id: string) => change(before => showing(before, id)),
    step,
    open: () => change(withNew),
    startAfresh: () => change(newShells),
    close,
    exited,
    hold(id: string, handle: ShellHandle | null) {
      if (handle) handles.current.set(id, handle)
      else handles.current.delete(id)
    },
    onPhase: (id: string, next: TerminalPhase) => setPhases(before => new Map(before).set(id, next)),
  }
}
