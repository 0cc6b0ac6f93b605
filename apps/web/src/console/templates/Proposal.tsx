import type { TemplateDetails } from '@ingot/contracts/templates'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { templateQuery } from './queries.ts'

export type ProposalAct = 'propose' | 'withdraw'

interface ProposalProps {
  readonly template: TemplateDetails
  readonly onAct: (act: ProposalAct) => void
}

/** Of one's own template: how far it is on its way to everybody, and the way there or back. */
export function Proposal({ template, onAct }: ProposalProps) {
  const { review, public_id, has_registry_credentials } = template
  const isPending = review?.status === 'pending'
  return (
    <section aria-labelledby="for-everybody" className="flex flex-col gap-2">
      <h3 id="for-everybody" className="text-heading">
        For everybody
      </h3>
      <p className="max-w-prose">
        {isPending ? (
          <>
            Version {review.version}, as it was <Time at={review.proposed_at} />, is being reviewed by staff.
            Later changes are not in it.{' '}
          </>
        ) : review?.status === 'rejected' ? (
          <>
            Version {review.version} was not approved: {review.reason}{' '}
          </>
        ) : null}
        {public_id
          ? 'What was approved is public under Community, without your secrets. Changes you make are not, until you propose them.'
          : !isPending &&
            'Propose it, and when staff have looked at it everybody can deploy it. Your secrets are not shared.'}
      </p>
      <div className="flex flex-wrap gap-2">
        {!isPending && (
          <Button
            onClick={() => onAct('propose')}
            disabledReason={
              has_registry_credentials
                ? 'Its image needs credentials, so nobody else could run it. Remove them first.'
                : null
            }
          >
            {public_id ? 'Propose this version' : 'Propose for everybody'}
          </Button>
        )}
        {(isPending || public_id) && <Button onClick={() => onAct('withdraw')}>Withdraw</Button>}
      </div>
    </section>
  )
}

interface ProposalDialogProps {
  readonly template: TemplateDetails
  readonly act: ProposalAct
  readonly onClose: () => void
}

export function ProposalDialog({ template, act, onClose }: ProposalDialogProps) {
  const { id, name, env, secret_names, public_id } = template
  const client = useQueryClient()
  const offline = useOfflineReason()
  const run = useMutation({
    mutationFn: () => api.templates[act]({ id }),
    onSuccess: changed => {
      client.setQueryData(templateQuery(id).queryKey, changed)
      toast.success(act === 'propose' ? `${name} is proposed` : `${name} is yours alone`)
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['templates'] }),
  })
  const shown = Object.keys(env)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={act === 'propose' ? 'Propose template' : 'Withdraw template'}
      confirmLabel={act === 'propose' ? 'Propose template' : 'Withdraw template'}
      busyLabel="One moment..."
      danger={act === 'withdraw'}
      busy={run.isPending}
      error={offline ?? (run.error && errorText(run.error))}
      onConfirm={() => run.mutate()}
      command={
        act === 'propose' ? (
          <CopyCall call="templates.propose" values={{ id }} />
        ) : (
          <CopyCall call="templates.withdraw" values={{ id }} />
        )
      }
    >
      {act === 'propose' ? (
        <>
          <p>
            Staff see <strong className="font-semi text-ink">{name}</strong> as it is now, and once they
            approve it so does everybody: its image, start command, ports, readme
            {shown.length > 0 && (
              <>
                , and the variables <span className="font-mono text-code break-all">{shown.join(', ')}</span>{' '}
                with their values
              </>
            )}
            . Your name is not shown.
          </p>
          {secret_names.length > 0 && (
            <p className="pt-2">
              Of your secrets only the names are shared: whoever deploys it gives values of their own.
            </p>
          )}
        </>
      ) : (
        <p>
          {public_id
            ? 'It is taken out of the catalogue at once. Instances that were made from it run on, and start as before.'
            : 'Staff do not review it any more.'}
        </p>
      )}
    </ConfirmDialog>
  )
}
