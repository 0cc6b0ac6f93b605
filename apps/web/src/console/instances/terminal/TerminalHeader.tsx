import { Link } from '@tanstack/react-router'
import {
  Accessibility,
  AArrowDown,
  AArrowUp,
  ArrowLeft,
  PanelTopClose,
  PanelTopOpen,
  Search,
  X,
} from 'lucide-react'
import type { Ref } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import type { StatusKind } from '../../../ui/StatusShape.tsx'
import { Tape } from '../../../ui/Tape.tsx'
import type { TerminalFacts } from '../open-terminal.ts'
import { simulatedText } from '../simulated-text.ts'
import type { TerminalPhase } from './terminal-client.ts'
import { fontSizes, type TerminalSettings } from './terminal-settings.ts'

const states: Record<TerminalPhase['kind'], { kind: StatusKind; word: string }> = {
  disconnected: { kind: 'stopped', word: 'Disconnected' },
  waiting: { kind: 'attention', word: 'Disconnected' },
  connecting: { kind: 'changing', word: 'Connecting' },
  connected: { kind: 'running', word: 'Connected' },
}

interface TerminalHeaderProps {
  readonly backRef: Ref<HTMLAnchorElement>
  /** Null until anything is known of the instance. */
  readonly facts: TerminalFacts | null
  readonly phase: TerminalPhase
  readonly isHidden: boolean
  readonly settings: TerminalSettings
  readonly canGrow: boolean
  readonly canShrink: boolean
  readonly onGrow: (by: 1 | -1) => void
  readonly onFind: () => void
  readonly onScreenReader: () => void
  readonly onToggle: () => void
  readonly onClose: () => void
}

export function TerminalHeader({ backRef, ...props }: TerminalHeaderProps) {
  const { facts, isHidden, settings } = props
  const { kind, word } = states[props.phase.kind]
  const simulated = facts && simulatedText(facts)
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-raised px-3 py-2">
      <Link ref={backRef} to="/console/instances" className={buttonClass('secondary')}>
        <ArrowLeft size={16} aria-hidden />
        Back to Console
      </Link>
      <h1 tabIndex={-1} className="min-w-0 truncate text-heading">
        {facts ? <Tape>{facts.name}</Tape> : 'Terminal'}
      </h1>
      <output className="flex">
        <StatusMark kind={kind}>{word}</StatusMark>
      </output>
      {facts && (
        <p className="flex flex-wrap items-center gap-2">
          <Badge>
            <span className="sr-only">Public IP: </span>
            <span className={facts.public_ip ? 'font-mono' : undefined}>{facts.public_ip ?? 'local'}</span>
          </Badge>
          {simulated && (
            <span title={simulated}>
              <Badge tone="warn">{facts.shell === 'simulated' ? 'Simulated machine' : 'Simulated GPU'}</Badge>
            </span>
          )}
        </p>
      )}
      <div className="ml-auto flex gap-1">
        <IconButton
          label="Find (Ctrl+Shift+F)"
          onClick={props.onFind}
          disabledReason={isHidden ? 'The terminal is hidden.' : null}
        >
          <Search size={16} aria-hidden />
        </IconButton>
        <IconButton
          label="Smaller text"
          onClick={() => props.onGrow(-1)}
          disabledReason={props.canShrink ? null : `${fontSizes.smallest} px is the smallest.`}
        >
          <AArrowDown size={16} aria-hidden />
        </IconButton>
        <IconButton
          label="Larger text"
          onClick={() => props.onGrow(1)}
          disabledReason={props.canGrow ? null : `${fontSizes.largest} px is the largest.`}
        >
          <AArrowUp size={16} aria-hidden />
        </IconButton>
        <IconButton
          label="Screen reader mode"
          aria-pressed={settings.screenReader}
          className="aria-pressed:bg-selected"
          onClick={props.onScreenReader}
        >
          <Accessibility size={16} aria-hidden />
        </IconButton>
        <IconButton label={isHidden ? 'Show terminal' : 'Hide terminal'} onClick={props.onToggle}>
          {isHidden ? <PanelTopOpen size={16} aria-hidden /> : <PanelTopClose size={16} aria-hidden />}
        </IconButton>
        <IconButton label="Close terminal" onClick={props.onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
    </header>
  )
}
