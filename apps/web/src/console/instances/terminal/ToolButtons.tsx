import { Accessibility, AArrowDown, AArrowUp, Search } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import { fontSizes } from './terminal-settings.ts'
import type { TerminalTools } from './use-shells.ts'

interface ToolButtonsProps {
  readonly tools: TerminalTools
  readonly isHidden: boolean
}

/** What is done with the shell in front. */
export function ToolButtons({ tools, isHidden }: ToolButtonsProps) {
  const { fontSize, screenReader } = tools.settings
  return (
    <>
      <IconButton
        label="Find (Ctrl+Shift+F)"
        onClick={tools.onFind}
        disabledReason={isHidden ? 'The terminal is hidden.' : null}
      >
        <Search size={16} aria-hidden />
      </IconButton>
      <IconButton
        label="Smaller text"
        onClick={() => tools.onGrow(-1)}
        disabledReason={fontSize > fontSizes.smallest ? null : `${fontSizes.smallest} px is the smallest.`}
      >
        <AArrowDown size={16} aria-hidden />
      </IconButton>
      <IconButton
        label="Larger text"
        onClick={() => tools.onGrow(1)}
        disabledReason={fontSize < fontSizes.largest ? null : `${fontSizes.largest} px is the largest.`}
      >
        <AArrowUp size={16} aria-hidden />
      </IconButton>
      <IconButton
        label="Screen reader mode"
        aria-pressed={screenReader}
        className="aria-pressed:bg-selected"
        onClick={tools.onScreenReader}
      >
        <Accessibility size={16} aria-hidden />
      </IconButton>
    </>
  )
}
