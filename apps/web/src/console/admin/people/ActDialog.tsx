import type { PersonDeletion } from '@ingot/contracts/admin/people'
import { useMutation } from '@tanstack/react-query'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { Consequences } from './Consequences.tsx'
import { type Person, ofEndingSessions, ofReinstating, ofSuspending } from './person-words.ts'

interface ActWords {
  readonly title: string
  readonly label: string
  readonly busy: string
  readonly done: string
  readonly follows: (deletion: PersonDeletion) => string[]
  readonly call: (input: { readonly id: string; readonly reason: string }) => Promise<unknown>
}

const acts: Readonly<Record<'suspend' | 'reinstate' | 'end-sessions', ActWords>> = {
  suspend: {
    title: 'Suspend user',
    label: 'Suspend',
    busy: 'Suspending...',
    done: 'User suspended',
    follows: ofSuspending,
    call: input => api.people.suspend(input),
  },
  reinstate: {
    title: 'Reinstate user',
    label: 'Reinstate',
    busy: 'Reinstating...',
    done: 'User reinstated',
    follows: ofReinstating,
    call: input => api.people.reinstate(input),
  },
  'end-sessions': {
    title: 'End sessions',
    label: 'End sessions',
    busy: 'Ending...',
    done: 'Sessions ended',
    follows: ofEndingSessions,
    call: input => api.people.endSessions(input),
  },
}

interface ActDialogProps {
  readonly act: keyof typeof acts
  readonly user: Person
  readonly onClose: () => void
  readonly onDone: () => void
}

export function ActDialog({ act, user, onClose, onDone }: ActDialogProps) {
  const { title, label, busy, done, follows, call } = acts[act]
  const change = useMutation({
    mutationFn: async (reason: string): Promise<void> => {
      await call({ id: user.id, reason })
    },
    onSuccess: () => {
      toast.success(done)
      onDone()
    },
  })
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmLabel={label}
      busyLabel={busy}
      danger={act === 'suspend'}
      busy={change.isPending}
      error={change.error && errorText(change.error)}
      onConfirm={reason => change.mutate(reason)}
    >
      <p className="pb-2 font-semi break-words text-ink">{user.email ?? user.id}</p>
      <Consequences id={user.id} of={follows} />
    </ReasonDialog>
  )
}
