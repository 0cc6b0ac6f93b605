import type { ReactNode } from 'react'
import { CopyButton } from './CopyButton.tsx'

export interface Property {
  readonly name: string
  readonly value: ReactNode
  /** What Copy copies; no button without it. Such a value is set in mono: it can be pasted. */
  readonly copy?: string
}

interface PropertyListProps {
  readonly properties: readonly Property[]
  /** Called with the name of what was copied. */
  readonly onCopied?: (name: string) => void
}

export function PropertyList({ properties, onCopied }: PropertyListProps) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 sm:grid-cols-[max-content_1fr]">
      {properties.map(({ name, value, copy }) => (
        <div
          key={name}
          className="border-t border-line py-2 first:border-t-0 sm:col-span-2 sm:grid sm:grid-cols-subgrid"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="flex min-w-0 items-start gap-2">
            <span className={copy === undefined ? 'min-w-0' : 'min-w-0 font-mono text-code break-all'}>
              {value}
            </span>
            {copy !== undefined && <CopyButton text={copy} what={name} onCopied={() => onCopied?.(name)} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}
