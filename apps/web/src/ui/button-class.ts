/** How a button looks, apart from what it is: links that act as buttons wear the same clothes. */
import { cx } from './cx.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger' | 'danger-fill'
/** `m`: the height of every control around it. `l`: 44 px always, for the one thing a page asks for. */
export type ButtonSize = 'm' | 'l'

const shape =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap select-none transition-colors aria-disabled:cursor-not-allowed'

const variants: Record<ButtonVariant, string> = {
  primary:
    'border-action-line bg-action font-semi text-on-action not-aria-disabled:hover:bg-action-hover aria-disabled:border-line-strong aria-disabled:bg-sunken aria-disabled:text-muted',
  secondary:
    'border-line-strong bg-raised text-ink not-aria-disabled:hover:bg-hover aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-muted',
  ghost:
    'border-transparent text-ink not-aria-disabled:hover:bg-hover aria-disabled:text-muted forced-colors:border-line',
  danger:
    'border-line-strong bg-raised text-danger not-aria-disabled:hover:bg-danger-soft aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-muted',
  'danger-fill':
    'border-danger-line bg-danger-fill font-semi text-on-danger not-aria-disabled:hover:brightness-90 aria-disabled:border-line-strong aria-disabled:bg-sunken aria-disabled:text-muted',
}

const sizes: Record<ButtonSize, string> = {
  m: 'h-control px-3 text-body',
  l: 'h-touch px-5 text-prose',
}

export const buttonClass = (variant: ButtonVariant = 'secondary', size: ButtonSize = 'm'): string =>
  cx(shape, variants[variant], sizes[size])
