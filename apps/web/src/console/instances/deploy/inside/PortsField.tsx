import { maxPorts } from '@ingot/contracts/instance/ports'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../../../ui/Button.tsx'
import { Field } from '../../../../ui/Field.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { Input } from '../../../../ui/Input.tsx'
import { withPorts } from './ports-text.ts'

interface PortsFieldProps {
  readonly ports: readonly number[]
  readonly onChange: (ports: readonly number[]) => void
  /** They come by themselves. */
  readonly template: readonly number[]
  /** What the service said at the last try. */
  readonly error: string | undefined
}

/** HTTP ports to be reached from the start, beside those of the template. Enter adds one. */
export function PortsField({ ports, onChange, template, error }: PortsFieldProps) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const add = () => {
    if (!text.trim()) return
    const next = withPorts(ports, template, text)
    if (typeof next === 'string') return setWrong(next)
    onChange(next)
    setText('')
    setWrong(null)
  }
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="HTTP ports"
        optional
        hint={`Such as 8000, 8888; each is opened at an address of its own, private at first. At most ${maxPorts}.${
          template.length > 0 ? ` The template opens ${template.join(', ')}.` : ''
        } Names and who may see them are set on the instance's page.`}
        error={wrong ?? error}
      >
        <Input
          ref={input}
          value={text}
          inputMode="text"
          autoComplete="off"
          maxLength={200}
          placeholder="8000"
          end={
            text.trim() ? (
              <Button variant="ghost" className="-mr-2" onClick={add}>
                Add
              </Button>
            ) : undefined
          }
          onChange={event => {
            setText(event.target.value)
            setWrong(null)
          }}
          onBlur={add}
          onKeyDown={event => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
      </Field>
      {ports.length > 0 && (
        <ul aria-label="HTTP ports that are added" className="flex flex-wrap gap-2">
          {ports.map(port => (
            <li
              key={port}
              className="flex items-center gap-1 rounded-control bg-sunken pl-2 tabular-nums forced-colors:border"
            >
              {port}
              <IconButton
                label={`Remove port ${port}`}
                onClick={() => {
                  onChange(ports.filter(each => each !== port))
                  input.current?.focus()
                }}
              >
                <X size={16} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
