import type { UserRole } from '@ingot/contracts/accounts'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useAuth } from '../../session/auth.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { ActDialog } from './ActDialog.tsx'
import { DeleteUserDialog } from './DeleteUserDialog.tsx'
import { type Person, roleOptions } from './person-words.ts'
import { RoleDialog } from './RoleDialog.tsx'

interface PersonActionsProps {
  readonly user: Person
  /** Something of the user has changed, or they are gone. */
  readonly onDone: () => void
}

type Act =
  | { readonly kind: 'suspend' | 'reinstate' | 'end-sessions' | 'delete' }
  | { readonly role: UserRole }

/** What an administrator does to a user. Each act asks for a reason and says first what follows. */
export function PersonActions({ user, onDone }: PersonActionsProps) {
  const { user: self } = useAuth()
  const offline = useOfflineReason()
  const [act, setAct] = useState<Act | null>(null)
  const isSelf = self?.id === user.id
  const whyNot = isSelf ? 'This is your own account.' : offline
  const close = () => setAct(null)
  const done = () => {
    close()
    onDone()
  }
  const dialog = { user, onClose: close, onDone: done }
  return (
    <div className="flex flex-col gap-3">
      {user.suspended_at !== null && (
        <Band tone="warn">
          Suspended since <Time at={user.suspended_at} exact />. Nobody signs in, and nothing of it runs.
        </Band>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Role"
          prefix="Role"
          options={roleOptions}
          value={user.role}
          disabled={offline !== null}
          onValueChange={role => setAct({ role })}
        />
        {user.suspended_at === null ? (
          <Button disabledReason={whyNot} onClick={() => setAct({ kind: 'suspend' })}>
            Suspend
          </Button>
        ) : (
          <Button disabledReason={whyNot} onClick={() => setAct({ kind: 'reinstate' })}>
            Reinstate
          </Button>
        )}
        <Button disabledReason={whyNot} onClick={() => setAct({ kind: 'end-sessions' })}>
          End sessions
        </Button>
        <Button variant="danger" disabledReason={whyNot} onClick={() => setAct({ kind: 'delete' })}>
          Delete user
        </Button>
      </div>
      {act && 'role' in act && <RoleDialog {...dialog} role={act.role} />}
      {act && 'kind' in act && act.kind === 'delete' && <DeleteUserDialog {...dialog} />}
      {act && 'kind' in act && act.kind !== 'delete' && <ActDialog {...dialog} act={act.kind} />}
    </div>
  )
}
