import type { ReviewEntry } from '@ingot/contracts/admin/template-reviews'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { reviewsKey } from './queries.ts'
import { type FieldLine, linesOf, statusTones, statusWords } from './review-text.ts'

interface ReviewDialogProps {
  readonly review: ReviewEntry
  readonly onClose: () => void
}

/** All that everybody would see, and the decision. */
export function ReviewDialog({ review, onClose }: ReviewDialogProps) {
  const { id, proposed, status, version, email, proposed_at, decided_at, reason, published } = review
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [isRejecting, setRejecting] = useState(false)
  const onSettled = () => client.invalidateQueries({ queryKey: reviewsKey })
  const approve = useMutation({
    mutationFn: () => api.templates.approve({ id }),
    onSuccess: () => {
      toast.success(`${proposed.name} is public`)
      void client.invalidateQueries({ queryKey: ['templates', 'public'] })
      onClose()
    },
    onSettled,
  })
  const reject = useMutation({
    mutationFn: (why: string) => api.templates.reject({ id, reason: why }),
    onSuccess: () => {
      toast.success(
        status === 'approved' ? `${proposed.name} is not public any more` : `${proposed.name} was rejected`,
      )
      void client.invalidateQueries({ queryKey: ['templates', 'public'] })
      onClose()
    },
    onSettled,
  })
  const verb = status === 'approved' ? 'Take out of the catalogue' : 'Reject'
  if (isRejecting)
    return (
      <ReasonDialog
        open
        onOpenChange={() => setRejecting(false)}
        title={status === 'approved' ? 'Take the template out' : 'Reject the template'}
        confirmLabel={verb}
        busyLabel="One moment..."
        danger
        busy={reject.isPending}
        error={offline ?? (reject.error && errorText(reject.error))}
        onConfirm={why => reject.mutate(why)}
      >
        <p>
          {status === 'approved'
            ? 'Nobody can deploy it any more from the next moment on; what was deployed runs on.'
            : published
              ? 'What was approved before stays public.'
              : 'It does not become public.'}{' '}
          Its author is told by mail, with the reason.
        </p>
      </ReasonDialog>
    )
  const canReject = status === 'pending' || status === 'approved'
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!approve.isPending}
      width="l"
      title={proposed.name}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {canReject && (
            <Button
              variant={status === 'approved' ? 'danger' : undefined}
              disabledReason={approve.isPending ? 'Wait until it is done' : offline}
              onClick={() => setRejecting(true)}
            >
              {verb}
            </Button>
          )}
          {status === 'pending' && (
            <Button
              variant="primary"
              busy={approve.isPending}
              busyLabel="Approving..."
              disabledReason={offline}
              onClick={() => approve.mutate()}
            >
              Approve
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>
          <span className="text-muted">
            Version {version} of {email ?? 'a customer without an address'}, proposed{' '}
            <Time at={proposed_at} exact />
            {decided_at && (
              <>
                , decided <Time at={decided_at} exact />
              </>
            )}
          </span>
        </div>
        {reason && <Band tone="info">Reason: {reason}</Band>}
        {status === 'pending' && (
          <p className="text-muted">
            {published
              ? 'It would take the place of what is public now; what it changes is marked.'
              : 'Nothing of this template is public yet.'}{' '}
            Whoever deploys it runs this image and command on a machine of their own, with secrets of their
            own.
          </p>
        )}
        <PropertyList
          properties={linesOf(review).map(line => ({ name: line.name, value: <Line line={line} /> }))}
        />
        {approve.error && <Band tone="danger">{errorText(approve.error)}</Band>}
      </div>
    </Dialog>
  )
}

const literal = 'block max-h-64 overflow-y-auto font-mono text-code break-all whitespace-pre-wrap'

/** As it was written, with nothing interpreted. */
function Line({ line: { text, before } }: { readonly line: FieldLine }) {
  return (
    <span className="flex min-w-0 flex-col gap-1">
      {before !== null && (
        <>
          <Badge tone="warn">Changed</Badge>
          <del className={`${literal} text-muted`}>{before || '(nothing)'}</del>
        </>
      )}
      <span className={literal}>{text || '(nothing)'}</span>
    </span>
  )
}
