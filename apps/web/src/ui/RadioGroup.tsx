import { RadioGroup as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import { cx } from './cx.ts'

export interface RadioOption<Value extends string> {
  readonly value: Value
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

type Layout = 'list' | 'cards' | 'tiles' | 'segments'

const groups: Record<Layout, string> = {
  list: 'flex flex-col gap-2',
  cards: 'grid auto-cols-fr gap-2 sm:grid-flow-col',
  tiles: 'grid gap-2 sm:grid-cols-2',
  segments: 'flex flex-wrap gap-1',
}

/** In the last three the whole box is the radio: its own disc is not seen, so the box shows choice and focus. */
const boxed =
  'relative has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus forced-colors:has-data-[state=checked]:border-2 forced-colors:has-data-[state=checked]:border-[Highlight]'
const disc =
  'relative mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-line-strong bg-raised before:absolute before:-inset-1 data-[state=checked]:border-4 data-[state=checked]:border-accent disabled:cursor-not-allowed disabled:opacity-60'
const card = `${boxed} items-start rounded-panel border border-line bg-raised p-3 has-data-[state=checked]:border-accent has-data-[state=checked]:inset-ring has-data-[state=checked]:inset-ring-accent`
const boxes: Record<Layout, string> = {
  list: 'items-start',
  cards: card,
  tiles: card,
  segments: `${boxed} h-control items-center rounded-control border border-transparent px-3 text-muted has-data-[state=checked]:border-line-strong has-data-[state=checked]:bg-raised has-data-[state=checked]:text-ink`,
}

interface RadioGroupProps<Value extends string> {
  readonly legend: string
  readonly legendHidden?: boolean
  readonly options: readonly RadioOption<Value>[]
  readonly value: Value | undefined
  readonly onValueChange: (value: Value) => void
  readonly name?: string
  readonly error?: ReactNode
  /** `list`: one under the other. `cards`: framed, in one row where there is room. `tiles`: framed, two abreast. `segments`: a row of words. */
  readonly layout?: Layout
}

export function RadioGroup<Value extends string>({
  legend,
  legendHidden = false,
  options,
  onValueChange,
  error,
  layout = 'list',
  ...rest
}: RadioGroupProps<Value>) {
  const id = useId()
  const isBoxed = layout !== 'list'
  return (
    <div>
      <p id={id} className={legendHidden ? 'sr-only' : 'pb-1 font-medium'}>
        {legend}
      </p>
      <Radix.Root
        {...rest}
        aria-labelledby={id}
        aria-describedby={error ? `${id}-error` : undefined}
        onValueChange={value => onValueChange(value as Value)}
        className={groups[layout]}
      >
        {options.map(option => (
          <label
            key={option.value}
            className={cx('flex gap-2', option.disabled && 'text-muted', boxes[layout])}
          >
            <Radix.Item
              value={option.value}
              disabled={option.disabled}
              className={isBoxed ? 'absolute inset-0 opacity-0' : disc}
            />
            <span className={isBoxed ? 'font-medium' : undefined}>
              {option.label}
              {option.hint && <span className="block text-label font-normal text-muted">{option.hint}</span>}
            </span>
          </label>
        ))}
      </Radix.Root>
      {error && (
        <p id={`${id}-error`} className="pt-1 text-label text-danger">
          {error}
        </p>
      )}
    </div>
  )
}
