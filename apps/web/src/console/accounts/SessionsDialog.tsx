import type { LoginSession } from '@ingot/contracts/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toast.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { sessionsQuery } from './queries.ts'
import { rowList, SettingRow } from './Section.tsx'

interface SessionsDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function SessionsDialog({ open, onClose }: SessionsDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Login Sessions"
      description="Each browser that is signed in as you. Ending one takes effect at once."
      width="l"
    >
      <Sessions />
    </Dialog>
  )
}

const refused = (error: unknown) => toast.error(`Failed to terminate session: ${errorText(error)}`)

function Sessions() {
  const client = useQueryClient()
  const sessions = useQuery({ ...sessionsQuery, refetchOnMount: 'always' })
  const offline = useOfflineReason()
  const again = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const end = useMutation({
    mutationFn: (id: string) => api.accounts.endSession({ id }),
    onSuccess: () => toast.success('Session terminated'),
    onError: refused,
    onSettled: again,
  })
  const endOthers = useMutation({
    mutationFn: () => api.accounts.endOtherSessions(),
    onSuccess: ({ ended }) =>
      toast.success(ended === 1 ? 'Session terminated' : `${ended} sessions terminated`),
    onError: refused,
    onSettled: again,
  })
  const items = sessions.data?.items ?? []
  return (
    <ListFrame
      query={sessions}
      failed="The sessions could not be loaded"
      skeleton={<Skeleton className="h-24" />}
      isEmpty={false}
    >
      <div className="flex flex-col gap-4">
        <ul className={rowList}>
          {items.map(session => (
            <SettingRow
              key={session.id}
              title={
                <>
                  {nameOf(session)}
                  {session.is_current && <Badge tone="info">This session</Badge>}
                </>
              }
              action={
                <Button
                  variant="danger"
                  aria-label={`Terminate ${nameOf(session)}`}
                  onClick={() => end.mutate(session.id)}
                  busy={end.isPending && end.variables === session.id}
                  disabledReason={session.is_current ? 'Cannot terminate current session' : offline}
                >
                  Terminate
                </Button>
              }
            >
              <p>
                {session.ip ?? 'Address unknown'}, active <Time at={session.last_active_at} />
              </p>
              <p className="text-label font-normal">
                Signed in <Time at={session.created_at} exact />
                {session.aal === 'aal2' && ', with a second factor'}
              </p>
            </SettingRow>
          ))}
        </ul>
        <div className="flex justify-end">
          <Button
            variant="danger"
            onClick={() => endOthers.mutate()}
            busy={endOthers.isPending}
            busyLabel="Terminating..."
            disabledReason={items.every(session => session.is_current) ? 'This is the only session' : offline}
          >
            Terminate all others
          </Button>
        </div>
      </div>
    </ListFrame>
  )
}

const nameOf = ({ browser, device }: LoginSession): string =>
  [browser, device].filter(Boolean).join(' on ') || 'Unknown browser'
