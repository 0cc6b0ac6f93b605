import { IngotError } from '@ingot/contracts/errors'
import { type InstancePort, maxPorts, type PortShare } from '@ingot/contracts/instance/ports'
import type { Instance } from '@ingot/contracts/instances'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { commandsFor } from '../command-text.ts'
import { portsQuery } from '../queries.ts'
import { PortDialog } from './PortDialog.tsx'
import { type PortAct, PortRow } from './PortRow.tsx'
import { SharePortDialog } from './SharePortDialog.tsx'

type Open = { readonly act: PortAct; readonly port: InstancePort } | { readonly act: 'add' } | null

/** What of an instance can be opened in a browser, and by whom. */
export function PortsTab({ instance }: { readonly instance: Instance }) {
  const { id } = instance
  const query = useQuery(portsQuery(id))
  const offline = useOfflineReason()
  const [open, setOpen] = useState<Open>(null)
  const [ending, setEnding] = useState<PortShare | null>(null)
  const close = () => setOpen(null)
  const isOff = query.error instanceof IngotError && query.error.code === 'invalid_state'
  if (isOff) return <EmptyState title="Ports are switched off here">{errorText(query.error)}</EmptyState>
  const ports = query.data ?? []
  const full =
    ports.length >= maxPorts ? `An instance has at most ${maxPorts} ports. Remove one first.` : null
  const add = (
    <Button variant="primary" disabledReason={full ?? offline} onClick={() => setOpen({ act: 'add' })}>
      Add port
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      {instance.shell === 'simulated' && (
        <Band tone="info">
          This instance is simulated: no program runs in it that could listen on a port.
        </Band>
      )}
      <QueryView
        query={query}
        failed="The ports could not be loaded"
        consequence="The instance itself is not affected."
        skeleton={<SkeletonRows rows={2} columns={2} />}
      >
        {items =>
          items.length === 0 ? (
            <EmptyState title="No ports" action={add}>
              Add the port of a program that speaks HTTP, such as a notebook, and open it in the browser.
              Nobody else can reach it unless you share it.
            </EmptyState>
          ) : (
            <>
              <div className="flex flex-wrap items-center justify-between gap-2">
                <p className="text-muted">Each port has an address of its own, which works at once.</p>
                <div className="flex flex-wrap gap-2">
                  <CopyCurlButton text={commandsFor(location.origin, 'ports', { id })[0].text} />
                  {add}
                </div>
              </div>
              <ul aria-label="Ports" className="rounded-panel border border-line bg-raised">
                {items.map(port => (
                  <PortRow
                    key={port.port}
                    instance={instance}
                    port={port}
                    onAct={act => setOpen({ act, port })}
                    onEndShare={setEnding}
                  />
                ))}
              </ul>
            </>
          )
        }
      </QueryView>
      {open?.act === 'add' && <PortDialog id={id} port={null} onClose={close} />}
      {open?.act === 'edit' && <PortDialog id={id} port={open.port} onClose={close} />}
      {open?.act === 'share' && <SharePortDialog id={id} port={open.port} onClose={close} />}
      {open && open.act !== 'add' && open.act !== 'edit' && open.act !== 'share' && (
        <Confirm id={id} act={open.act} port={open.port} onClose={close} />
      )}
      {ending && <EndShare id={id} share={ending} onClose={() => setEnding(null)} />}
    </div>
  )
}

interface ConfirmProps {
  readonly id: string
  readonly act: 'publish' | 'hide' | 'remove'
  readonly port: InstancePort
  readonly onClose: () => void
}

function Confirm({ id, act, port: { port, name, shares }, onClose }: ConfirmProps) {
  const words = {
    publish: { title: 'Make port public', busy: 'Making public...', done: `${name} is public` },
    hide: { title: 'Make port private', busy: 'Making private...', done: `${name} is private` },
    remove: { title: 'Remove port', busy: 'Removing...', done: `${name} removed` },
  }[act]
  const mutation = useChange(id, words.done, onClose, () => {
    if (act === 'remove') return api.instances.deletePort({ id, port })
    return api.instances.updatePort({ id, port, visibility: act === 'publish' ? 'public' : 'private' })
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={words.title}
      danger={act !== 'hide'}
      confirmLabel={words.title}
      busyLabel={words.busy}
      busy={mutation.isPending}
      error={mutation.error && errorText(mutation.error)}
      onConfirm={() => mutation.mutate()}
    >
      {act === 'publish' &&
        `Whoever knows the address of ${name} can use it, without signing in and without a link. Search engines may find it. Make sure that the program asks for a password of its own.`}
      {act === 'hide' &&
        `Only you can open ${name} then, and whoever has a link that you made. Others who use it now are cut off.`}
      {act === 'remove' &&
        `${name} can be reached no more, and what is connected to it ends.${shares.length > 0 ? ' Links to it end too.' : ''} The program itself runs on.`}
      <SameCall
        call={act === 'remove' ? 'deletePort' : 'updatePort'}
        values={
          act === 'remove' ? { id, port } : { id, port, visibility: act === 'publish' ? 'public' : 'private' }
        }
      />
    </ConfirmDialog>
  )
}

interface EndShareProps {
  readonly id: string
  readonly share: PortShare
  readonly onClose: () => void
}

function EndShare({ id, share, onClose }: EndShareProps) {
  const mutation = useChange(id, 'Link ended', onClose, () => api.instances.deletePortShare({ id: share.id }))
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="End link"
      confirmLabel="End link"
      busyLabel="Ending..."
      busy={mutation.isPending}
      error={mutation.error && errorText(mutation.error)}
      onConfirm={() => mutation.mutate()}
    >
      Whoever came in by it is cut off. A link that was ended cannot be used again.
      <SameCall call="deletePortShare" values={{ id: share.id }} />
    </ConfirmDialog>
  )
}

interface SameCallProps {
  readonly call: 'deletePort' | 'updatePort' | 'deletePortShare'
  readonly values: Parameters<typeof commandsFor>[2]
}

const SameCall = ({ call, values }: SameCallProps) => (
  <div className="pt-4">
    <CommandBlock
      label="The same as a command"
      commands={commandsFor(location.origin, call, values)}
      onCopied={() => toast.success('Copied to clipboard')}
    />
  </div>
)

function useChange(id: string, done: string, onDone: () => void, act: () => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: () => {
      toast.success(done)
      onDone()
    },
    onSettled: () => client.invalidateQueries({ queryKey: portsQuery(id).queryKey }),
  })
}
