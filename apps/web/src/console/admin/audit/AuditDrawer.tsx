import type { AuditEntry } from '@ingot/contracts/admin/audit-log'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { Changes } from '../../accounts/staff-acts/Changes.tsx'
import { operationWords } from '../../accounts/staff-acts/audit-words.ts'
import { Button } from '../../../ui/Button.tsx'
import { Drawer } from '../../../ui/Drawer.tsx'
import { PropertyList, type Property } from '../../../ui/PropertyList.tsx'
import { areSingleKeysOn } from '../../../ui/shortcuts.ts'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { ActAsButton } from '../acting/ActAsButton.tsx'
import { personText, whoText } from './entry-words.ts'

interface AuditDrawerProps {
  readonly entry: AuditEntry
  /** To the entry below (1) or above (-1) in the list. */
  readonly onStep: (by: number) => void
  readonly onFilter: (by: Readonly<Record<string, string>>) => void
  readonly onClose: () => void
}

/** One entry whole. J and K go through the list behind it. */
export function AuditDrawer({ entry, onStep, onFilter, onClose }: AuditDrawerProps) {
  useStepKeys(onStep)
  const { actor_person, customer, operation, reason, changes } = entry
  return (
    <Drawer open onOpenChange={onClose} title={operationWords(operation)}>
      <div className="flex flex-col gap-6">
        <Part heading="Reason">
          <p className="break-words whitespace-pre-wrap">
            {reason ?? <span className="text-muted">None was given.</span>}
          </p>
        </Part>
        <Part heading="What differs">
          <Changes changes={changes} />
        </Part>
        <Part heading="Who, when, on whom">
          <PropertyList
            properties={propertiesOf(entry)}
            onCopied={what => toast.success(`${what} copied to clipboard`)}
          />
        </Part>
        <div className="flex flex-wrap gap-2">
          {customer && (
            <Button onClick={() => onFilter({ customer: customer.id })}>All on this account</Button>
          )}
          {actor_person && (
            <Button onClick={() => onFilter({ actor: actor_person.id })}>All by this person</Button>
          )}
          {customer && <ActAsButton userId={customer.id} email={customer.email} />}
          {operation && <Button onClick={() => onFilter({ operation })}>All of this kind</Button>}
        </div>
      </div>
    </Drawer>
  )
}

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 }

/** The keys of a list do nothing while something is open over it. */
function useStepKeys(onStep: (by: number) => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const by = steps[event.key.toLowerCase()]
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn()) return
    event.preventDefault()
    onStep(by)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

function Part({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="pb-1 text-label text-muted">{heading}</h3>
      {children}
    </section>
  )
}

function propertiesOf(entry: AuditEntry): Property[] {
  const { at, role, ip, request_id, operation, subject_kind, subject_id, customer, id } = entry
  return [
    { name: 'When', value: <Time at={at} exact /> },
    { name: 'Who', value: role ? `${whoText(entry)}, ${role.replaceAll('_', ' ')}` : whoText(entry) },
    ...(ip ? [{ name: 'From', value: ip, copy: ip }] : []),
    ...(customer
      ? [
          { name: 'Account', value: personText(customer) },
          { name: 'Account id', value: customer.id, copy: customer.id },
        ]
      : []),
    ...(subject_id === customer?.id
      ? []
      : [{ name: `Id of the ${subject_kind.replaceAll('_', ' ')}`, value: subject_id, copy: subject_id }]),
    ...(operation ? [{ name: 'Call', value: operation, copy: operation }] : []),
    ...(request_id ? [{ name: 'Request', value: request_id, copy: request_id }] : []),
    { name: 'Entry', value: id },
  ]
}
