import type { Instance } from '@ingot/contracts/instances'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { askAgainMs, instanceQuery } from './queries.ts'
import { CloneInstanceDialog } from './CloneInstanceDialog.tsx'
import { DeleteInstanceDialog } from './DeleteInstanceDialog.tsx'
import { EditInstanceDialog } from './EditInstanceDialog.tsx'
import { errorText, requestIdOf } from '../shell/error-text.ts'
import { InstanceDetails } from './InstanceDetails.tsx'
import { sentence } from '../shell/sentence.ts'
import { SshDialog } from './ssh/SshDialog.tsx'
import type { InstancesSearch } from './instances-search.ts'

interface InstanceDialogsProps {
  readonly open: InstancesSearch['open']
  readonly onClose: () => void
}

/** The dialog that the address names. A link to one opens it, also for an instance that is not on this page of the list. */
export function InstanceDialogs({ open, onClose }: InstanceDialogsProps) {
  const client = useQueryClient()
  const id = open?.id ?? ''
  const query = useQuery({
    ...instanceQuery(id),
    enabled: open !== null,
    refetchInterval: ({ state }) => askAgainMs(state.data ? [state.data] : []),
    placeholderData: () =>
      listed(client.getQueriesData<{ items: Instance[] }>({ queryKey: ['instances', 'list'] }), id),
  })
  if (!open) return null
  const instance = query.data
  if (!instance) {
    if (!query.isError) return null
    return (
      <Dialog open onOpenChange={onClose} title="Instance" footer={<Button onClick={onClose}>Close</Button>}>
        <ErrorState title="This instance cannot be shown" requestId={requestIdOf(query.error)}>
          {sentence(errorText(query.error))} It may have been deleted; its history stands in the logs.
        </ErrorState>
      </Dialog>
    )
  }
  const props = { instance, onClose }
  switch (open.dialog) {
    case 'details':
      return <InstanceDetails {...props} />
    case 'edit':
      return <EditInstanceDialog {...props} />
    case 'ssh':
      return <SshDialog {...props} />
    case 'clone':
      return <CloneInstanceDialog {...props} />
    case 'delete':
      return <DeleteInstanceDialog {...props} />
  }
}

const listed = (
  pages: readonly (readonly [unknown, { items: Instance[] } | undefined])[],
  id: string,
): Instance | undefined => pages.flatMap(([, page]) => page?.items ?? []).find(each => each.id === id)
