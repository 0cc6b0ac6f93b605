/** How a button looks, apart from what it is: links that act as buttons wear the same clothes. */
import { cx } from './cx.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'danger-fill'
/** `m`: the height of every control around it. `l`: 44 px always, for the one thing a page asks for. */
export type ButtonSize = 'm' | 'l'

const shape =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap select-none transition-colors data-off:cursor-not-allowed aria-busy:cursor-progress'

const variants: Record<ButtonVariant, string> = {
  primary:
    'border-action-line bg-action font-semi text-on-action not-data-off:hover:bg-action-hover data-off:border-line-strong data-off:bg-sunken data-off:text-muted',
  secondary:
    'border-line-strong bg-raised text-ink not-data-off:hover:bg-hover data-off:border-line data-off:bg-sunken data-off:text-muted',
  ghost:
    'border-transparent text-ink not-data-off:hover:bg-hover data-off:text-muted forced-colors:border-line',
  danger:
    'border-line-strong bg-raised text-danger not-data-off:hover:bg-danger-soft data-off:border-line data-off:bg-sunken data-off:text-muted',
  'danger-fill':
    'border-danger-line bg-danger-fill font-semi text-on-danger not-data-off:hover:brightness-90 data-off:border-line-strong data-off:bg-sunken data-off:text-muted',
}

const sizes: Record<ButtonSize, string> = {
  m: 'h-control px-3 text-body',
  l: 'h-touch px-5 text-prose',
}

export const buttonClass = (variant: ButtonVariant = 'secondary', size: ButtonSize = 'm'): string =>
  cx(shape, variants[variant], sizes[size])
