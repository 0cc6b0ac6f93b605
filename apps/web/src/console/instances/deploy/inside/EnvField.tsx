import { templateLimits } from '@ingot/contracts/templates'
import { X } from 'lucide-react'
import { type ClipboardEvent, useRef, useState } from 'react'
import { Button } from '../../../../ui/Button.tsx'
import { Field } from '../../../../ui/Field.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { Input } from '../../../../ui/Input.tsx'
import { type EnvRow, envRow, isLines, readEnv, withPasted } from './env-rows.ts'

interface EnvFieldProps {
  readonly rows: readonly EnvRow[]
  readonly onChange: (rows: readonly EnvRow[]) => void
  /** What the template sets by itself. */
  readonly template: Readonly<Record<string, string>>
  /** What the service said at the last try. */
  readonly error: string | undefined
}

const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

/** Environment variables, a row each. Lines of NAME=value can be pasted into any of them. */
export function EnvField({ rows, onChange, template, error }: EnvFieldProps) {
  const read = readEnv(rows)
  const list = useRef<HTMLFieldSetElement>(null)
  const [pasteError, setPasteError] = useState<string | null>(null)
  const set = (id: number, changes: Partial<EnvRow>) => {
    setPasteError(null)
    onChange(rows.map(row => (row.id === id ? { ...row, ...changes } : row)))
  }
  const paste = (into: 'name' | 'value') => (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (!isLines(text, into)) return
    event.preventDefault()
    const next = withPasted(rows, text)
    if (typeof next === 'string') return setPasteError(`Nothing was pasted. ${next}.`)
    setPasteError(null)
    onChange(next)
  }
  const add = () => {
    onChange([...rows, envRow()])
    setTimeout(() => [...(list.current?.querySelectorAll('input') ?? [])].at(-2)?.focus())
  }
  const remove = (id: number) => {
    onChange(rows.filter(row => row.id !== id))
    list.current?.querySelector<HTMLElement>('[data-add]')?.focus()
  }
  const own = Object.keys(template)
  const wrong = pasteError ?? read.error ?? error
  return (
    <fieldset ref={list} className="flex min-w-0 flex-col gap-2">
      <legend className="font-medium">
        Environment variables <span className="font-normal text-muted">(optional)</span>
      </legend>
      <p className="text-label font-normal text-muted">
        Shown in the command on this page; they stand in no address, and a reload forgets them. Several lines
        of NAME=value can be pasted.
        {own.length > 0 && ` The template sets ${own.join(', ')}; a row of the same name goes before it.`}
      </p>
      {rows.map(({ id, name, value }, index) => (
        <div key={id} className="grid grid-cols-[1fr_auto] items-start gap-2 sm:grid-cols-[1fr_1fr_auto]">
          <Field label={<span className="sr-only">Name {index + 1}</span>} error={read.wrong.get(id)?.name}>
            <Input
              {...plain}
              value={name}
              placeholder="NAME"
              maxLength={100}
              className="font-mono text-code"
              onPaste={paste('name')}
              onChange={event => set(id, { name: event.target.value })}
            />
          </Field>
          <div className="max-sm:col-start-1">
            <Field
              label={<span className="sr-only">Value {index + 1}</span>}
              error={read.wrong.get(id)?.value}
            >
              <Input
                {...plain}
                value={value}
                placeholder="value"
                maxLength={templateLimits.value}
                className="font-mono text-code"
                onPaste={paste('value')}
                onChange={event => set(id, { value: event.target.value })}
              />
            </Field>
          </div>
          <div className="pt-1 max-sm:col-start-2 max-sm:row-start-1">
            <IconButton label={`Remove ${name.trim() || `variable ${index + 1}`}`} onClick={() => remove(id)}>
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </div>
      ))}
      {wrong && (
        <p role="alert" className="text-label text-danger">
          {wrong}
        </p>
      )}
      <div>
        <Button
          data-add
          disabledReason={
            rows.length >= templateLimits.variables ? `At most ${templateLimits.variables} variables.` : null
          }
          onClick={add}
        >
          Add variable
        </Button>
      </div>
    </fieldset>
  )
}
