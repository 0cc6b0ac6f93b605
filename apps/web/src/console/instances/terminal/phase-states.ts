import type { StatusKind } from '../../../ui/StatusShape.tsx'
import type { TerminalPhase } from './terminal-client.ts'

export const phaseStates: Record<TerminalPhase['kind'], { kind: StatusKind; word: string }> = {
  disconnected: { kind: 'stopped', word: 'Disconnected' },
  waiting: { kind: 'attention', word: 'Disconnected' },
  connecting: { kind: 'changing', word: 'Connecting' },
  connected: { kind: 'running', word: 'Connected' },
}
