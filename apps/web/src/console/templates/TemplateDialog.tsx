import type { RegionEntry } from '@ingot/contracts/catalog-calls'
import type { TemplateDetails } from '@ingot/contracts/templates'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatGb } from '../../ui/format.ts'
import { type Property, PropertyList } from '../../ui/PropertyList.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { useCopy } from '../../ui/use-copy.ts'
import { regionsQuery } from '../catalog/queries.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { Proposal, type ProposalAct, ProposalDialog } from './Proposal.tsx'
import { isUnknown, templateQuery } from './queries.ts'
import { sharedSearch } from './template-search.ts'
import { loadedText, shareLink, templateCalls } from './template-text.ts'

// The parser of Markdown comes with the first readme.
const Readme = lazy(async () => ({ default: (await import('./Readme.tsx')).Readme }))
const TemplateFormDialog = lazy(() => import('./TemplateFormDialog.tsx'))

interface TemplateDialogProps {
  readonly id: string
  /** Of one that somebody else shares. */
  readonly shareKey: string | undefined
  readonly onClose: () => void
}

export function TemplateDialog({ id, shareKey, onClose }: TemplateDialogProps) {
  const query = useQuery(templateQuery(id, shareKey))
  const regions = useQuery(regionsQuery)
  const [mode, setMode] = useState<'view' | 'edit' | 'delete' | ProposalAct>('view')
  const template = query.data
  if (template && mode === 'edit')
    return (
      <Suspense>
        <TemplateFormDialog template={template} onClose={() => setMode('view')} onSaved={() => {}} />
      </Suspense>
    )
  if (template && (mode === 'propose' || mode === 'withdraw'))
    return <ProposalDialog template={template} act={mode} onClose={() => setMode('view')} />
  if (template && mode === 'delete')
    return <DeleteTemplate template={template} onClose={() => setMode('view')} onDeleted={onClose} />
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      title={template?.name ?? 'Template'}
      description={template?.description}
      footer={
        template && (
          <>
            {template.is_mine && (
              <>
                <Button variant="danger" onClick={() => setMode('delete')}>
                  Delete
                </Button>
                <Button onClick={() => setMode('edit')}>Edit</Button>
              </>
            )}
            {template.is_mine && template.share_key !== null && (
              <CopyLink id={id} shareKey={template.share_key} />
            )}
            <Link
              to="/console/deploy"
              search={sharedSearch(template, shareKey)}
              className={buttonClass('primary')}
            >
              Deploy
            </Link>
          </>
        )
      }
    >
      {isUnknown(query.error) ? (
        <Band tone="danger">There is no such template, or it is not shared any more.</Band>
      ) : (
        <QueryView
          query={query}
          failed="The template could not be loaded"
          skeleton={<SkeletonRows rows={5} columns={2} />}
        >
          {found => (
            <div className="flex flex-col gap-6">
              {found.is_community && (
                <Band tone="info">
                  Community: a customer made this template, and staff have looked at this version of it.
                </Band>
              )}
              {!found.is_mine && !found.is_public && (
                <Band tone="info">
                  Somebody shares this template with you. Look at its image and start command before you
                  deploy it.
                </Band>
              )}
              <PropertyList
                properties={propertiesOf(found, regions.data?.items)}
                onCopied={what => toast.success(`${what} copied to clipboard`)}
              />
              {found.is_mine && <Proposal template={found} onAct={setMode} />}
              {found.readme && (
                <section>
                  <h3 className="pb-1 text-heading">Readme</h3>
                  <Suspense fallback={<SkeletonRows rows={3} columns={1} />}>
                    <Readme text={found.readme} />
                  </Suspense>
                </section>
              )}
              <CommandBlock
                label="The same as a command"
                commands={templateCalls('get', { id, key: shareKey })}
                onCopied={() => toast.success('Copied to clipboard')}
              />
            </div>
          )}
        </QueryView>
      )}
    </Dialog>
  )
}

function propertiesOf(template: TemplateDetails, regions?: readonly RegionEntry[]): Property[] {
  const { id, is_mine, docker_image, start_command, env, secret_names, ports, disk_gb, features } = template
  const variables = Object.entries(env)
  const mono = (text: string) => (
    <span className="font-mono text-code break-all whitespace-pre-wrap">{text}</span>
  )
  return [
    { name: 'Category', value: template.category },
    ...(features.length > 0 ? [{ name: 'Contains', value: features.join(', ') }] : []),
    { name: 'Image', value: docker_image, copy: docker_image },
    ...(regions ? [{ name: 'Image is loaded', value: loadedText(regions) }] : []),
    ...(start_command === null ? [] : [{ name: 'Start command', value: start_command, copy: start_command }]),
    ...(ports.length > 0 ? [{ name: 'Ports', value: ports.join(', ') }] : []),
    ...(disk_gb === null ? [] : [{ name: 'Data storage', value: `${formatGb(disk_gb)} or more` }]),
    ...(variables.length > 0
      ? [{ name: 'Variables', value: mono(variables.map(pair => pair.join('=')).join('\n')) }]
      : []),
    ...(secret_names.length > 0
      ? [
          {
            name: 'Secrets',
            value: (
              <>
                {mono(secret_names.join(', '))}
                <span className="block text-muted">
                  {is_mine
                    ? 'Sealed. They go with your own deploys, and with no clone.'
                    : 'Their values are not shared: give your own on deploy.'}
                </span>
              </>
            ),
          },
        ]
      : []),
    ...(template.has_registry_credentials
      ? [
          {
            name: 'Registry',
            value: is_mine
              ? 'Name and password are set. They are sealed.'
              : 'The image needs a name and password, which are not shared.',
          },
        ]
      : []),
    ...(is_mine
      ? [
          {
            name: 'Sharing',
            value:
              template.visibility === 'link'
                ? 'Whoever has the link sees and deploys it.'
                : 'Only you see it.',
          },
        ]
      : []),
    { name: 'Id', value: id, copy: id },
  ]
}

function CopyLink({ id, shareKey }: { readonly id: string; readonly shareKey: string }) {
  const [state, copy] = useCopy()
  const link = shareLink(location.origin, id, shareKey)
  return (
    <Button onClick={() => void copy(link).then(done => done && toast.success('Link copied to clipboard'))}>
      {state === 'failed' ? 'Not copied' : 'Copy link'}
    </Button>
  )
}

interface DeleteTemplateProps {
  readonly template: TemplateDetails
  readonly onClose: () => void
  readonly onDeleted: () => void
}

function DeleteTemplate({
  template: { id, name, visibility, public_id },
  onClose,
  onDeleted,
}: DeleteTemplateProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const remove = useMutation({
    mutationFn: () => api.templates.delete({ id }),
    onSuccess: () => {
      toast.success(`${name} deleted`)
      onDeleted()
      client.removeQueries({ queryKey: templateQuery(id).queryKey })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['templates'] }),
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete template"
      confirmLabel="Delete template"
      busyLabel="Deleting..."
      busy={remove.isPending}
      error={offline ?? (remove.error && `Failed to delete template: ${errorText(remove.error)}`)}
      onConfirm={() => remove.mutate()}
    >
      <p>
        <strong className="font-semi text-ink">{name}</strong> with its secrets will be gone. This cannot be
        undone. Instances that were made from it run on, and start as before.
        {visibility === 'link' && ' Its link ends.'}
        {public_id && ' What is public of it is taken out of the catalogue.'}
      </p>
      <div className="pt-4">
        <CommandBlock
          label="The same as a command"
          commands={templateCalls('delete', { id })}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </div>
    </ConfirmDialog>
  )
}
