import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { AddSshKeyDialog } from './AddSshKeyDialog.tsx'
import { sshKeysQuery } from './queries.ts'

interface KeyChoiceProps {
  /** Null: every key of the account. Without one in it nothing can be saved yet. */
  readonly value: readonly string[] | null
  readonly onValueChange: (value: readonly string[] | null) => void
}

const options = [
  { value: 'all', label: 'Every key of mine', hint: 'Those that I add later, too.' },
  { value: 'some', label: 'Only these' },
] as const

/** Which SSH keys open an instance. */
export function KeyChoice({ value, onValueChange }: KeyChoiceProps) {
  const keys = useQuery(sshKeysQuery)
  const [isAdding, setAdding] = useState(false)
  return (
    <div className="flex flex-col items-start gap-3">
      <QueryView
        query={keys}
        failed="Your SSH keys could not be loaded"
        skeleton={<Skeleton className="h-12 w-full" />}
      >
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">
              You have no SSH key yet. Without one the instance’s password opens it.
            </p>
          ) : (
            <>
              <RadioGroup
                legend="SSH keys"
                options={options}
                value={value ? 'some' : 'all'}
                onValueChange={which => onValueChange(which === 'all' ? null : items.map(({ id }) => id))}
              />
              {value && (
                <ul className="flex flex-col gap-2 pl-6" aria-label="SSH keys that open it">
                  {items.map(({ id, name, fingerprint }) => (
                    <li key={id}>
                      <Checkbox
                        label={name}
                        hint={<span className="font-mono text-code break-all">{fingerprint}</span>}
                        checked={value.includes(id)}
                        onCheckedChange={checked =>
                          onValueChange(checked ? [...value, id] : value.filter(each => each !== id))
                        }
                      />
                    </li>
                  ))}
                </ul>
              )}
            </>
          )
        }
      </QueryView>
      <Button onClick={() => setAdding(true)}>Add SSH key</Button>
      <AddSshKeyDialog open={isAdding} onClose={() => setAdding(false)} />
    </div>
  )
}
