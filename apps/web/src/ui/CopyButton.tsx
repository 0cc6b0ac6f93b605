import { Check, Copy, X } from 'lucide-react'
import { useCopy } from './use-copy.ts'

interface CopyButtonProps {
  readonly text: string
  /** Names what is copied, for those who do not see it: `Copy request id`. */
  readonly what?: string
  /** With the word Copy beside the icon. */
  readonly labelled?: boolean
  /** Not called when the clipboard was refused. */
  readonly onCopied?: () => void
}

const words = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' }

export function CopyButton({ text, what, labelled = false, onCopied }: CopyButtonProps) {
  const [state, copy] = useCopy()
  const Icon = { idle: Copy, copied: Check, failed: X }[state]
  return (
    <button
      type="button"
      onClick={() => void copy(text).then(done => done && onCopied?.())}
      className="inline-flex h-6 min-w-6 items-center justify-center gap-1 rounded-tag px-1 text-label text-link hover:text-link-hover pointer-coarse:h-touch pointer-coarse:min-w-touch"
    >
      <Icon size={16} aria-hidden />
      <span aria-live="polite" className={labelled ? undefined : 'sr-only'}>
        {words[state]}
      </span>
      {what && <span className="sr-only">{what}</span>}
    </button>
  )
}
