import { Link } from '@tanstack/react-router'
import { ArrowLeft, PanelTopClose, PanelTopOpen, X } from 'lucide-react'
import type { Ref } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Tape } from '../../../ui/Tape.tsx'
import type { TerminalFacts } from '../open-terminal.ts'
import { simulatedText } from '../simulated-text.ts'
import { phaseStates } from './phase-states.ts'
import { ToolButtons } from './ToolButtons.tsx'
import type { TerminalTools } from './use-shells.ts'

interface TerminalHeaderProps {
  readonly backRef: Ref<HTMLAnchorElement>
  /** Null until anything is known of the instance. */
  readonly facts: TerminalFacts | null
  readonly tools: TerminalTools
  readonly isHidden: boolean
  readonly onToggle: () => void
  readonly onClose: () => void
}

export function TerminalHeader({ backRef, ...props }: TerminalHeaderProps) {
  const { facts, isHidden, tools } = props
  const { kind, word } = phaseStates[tools.phase.kind]
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
        <ToolButtons tools={tools} isHidden={isHidden} />
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
