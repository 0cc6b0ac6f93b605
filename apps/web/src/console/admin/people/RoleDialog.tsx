import type { UserRole } from '@ingot/contracts/accounts'
import { useMutation } from '@tanstack/react-query'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import type { Person } from './person-words.ts'

interface RoleDialogProps {
  readonly user: Person
  readonly role: UserRole
  readonly onClose: () => void
  readonly onDone: () => void
}

const opens: Readonly<Record<UserRole, string>> = {
  user: 'They use the console alone, from their next call on. What they had opened as staff closes.',
  moderator: 'They read all tickets and answer them, and see nothing else of customers.',
  admin: 'They may do all that you may: with money, machines and people.',
}

/** The role that was chosen takes the place of the one before. */
export function RoleDialog({ user, role, onClose, onDone }: RoleDialogProps) {
  const change = useMutation({
    mutationFn: (reason: string) => api.admin.setRole({ id: user.id, role, reason }),
    onSuccess: () => {
      toast.success(`User role updated to ${role}`)
      onDone()
    },
    onError: () => toast.error('Failed to update user role'),
  })
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title="Change role"
      confirmLabel={`Make ${role === 'admin' ? 'an admin' : `a ${role}`}`}
      busyLabel="Changing..."
      danger={role === 'admin'}
      busy={change.isPending}
      error={change.error && errorText(change.error)}
      onConfirm={reason => change.mutate(reason)}
    >
      <p className="pb-2 break-words">
        <span className="font-semi text-ink">{user.email ?? user.id}</span>: {user.role} → {role}
      </p>
      <p>{opens[role]}</p>
    </ReasonDialog>
  )
}
