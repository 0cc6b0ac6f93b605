import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import { cx } from './cx.ts'
import { useFieldWiring } from './field-context.ts'

export interface SelectOption<Value extends string> {
  readonly value: Value
  readonly label: string
  /** A second line: a price, what is left, why not. */
  readonly hint?: string
  readonly disabled?: boolean
}

interface SelectProps<Value extends string> {
  readonly options: readonly SelectOption<Value>[]
  readonly value: Value | undefined
  readonly onValueChange: (value: Value) => void
  readonly placeholder?: string
  /** Written before the choice, as in `Status: any`. */
  readonly prefix?: string
  /** Its name outside a Field. */
  readonly 'aria-label'?: string
  readonly disabled?: boolean
  readonly className?: string
}

export function Select<Value extends string>({
  options,
  value,
  onValueChange,
  placeholder,
  prefix,
  className,
  ...rest
}: SelectProps<Value>) {
  const { required, ...wiring } = useFieldWiring()
  return (
    <Radix.Root
      value={value ?? ''}
      onValueChange={chosen => onValueChange(chosen as Value)}
      disabled={rest.disabled}
      required={required}
    >
      <Radix.Trigger
        {...wiring}
        aria-label={rest['aria-label']}
        className={cx(
          'inline-flex h-control items-center justify-between gap-2 rounded-control border border-line-strong bg-raised px-3 text-left text-input text-ink aria-invalid:border-danger data-disabled:cursor-not-allowed data-disabled:border-line data-disabled:bg-sunken data-disabled:text-muted data-placeholder:text-muted',
          prefix ? 'font-medium' : 'w-full',
          className,
        )}
      >
        <span className="truncate">
          {prefix && `${prefix}: `}
          <Radix.Value placeholder={placeholder} />
        </span>
        <Radix.Icon asChild>
          <ChevronDown size={16} aria-hidden className="shrink-0 text-muted" />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-menu max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) animate-menu-in overflow-y-auto rounded-panel border border-line bg-raised p-1 text-ink shadow-float"
        >
          <Radix.Viewport>
            {options.map(option => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                className="flex min-h-control cursor-default items-center gap-2 rounded-tag px-2 py-1 text-body outline-none select-none data-disabled:text-muted data-highlighted:bg-hover"
              >
                <span className="w-4 shrink-0">
                  <Radix.ItemIndicator>
                    <Check size={16} aria-hidden />
                  </Radix.ItemIndicator>
                </span>
                <span>
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.hint && (
                    <span className="block text-label font-normal text-muted">{option.hint}</span>
                  )}
                </span>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
