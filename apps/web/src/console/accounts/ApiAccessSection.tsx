import type { ApiKey } from '@ingot/contracts/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toast } from '../../ui/toast.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'
import { useCopy } from '../../ui/use-copy.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { GenerateKeyDialog } from './GenerateKeyDialog.tsx'
import { listCommands } from './list-commands.ts'
import { apiKeyQuery } from './queries.ts'
import { Section } from './Section.tsx'
import { useDialog } from './use-dialog.ts'

/** The key's text is asked for when somebody wants to see it, and forgotten when it is hidden or the page left. */
export function ApiAccessSection() {
  const stored = useQuery(apiKeyQuery)
  const dialog = useDialog('api-key')
  const [shown, setShown] = useState<string | null>(null)
  return (
    <Section
      id="api"
      lead="A key lets programs do what you can do, except to delete the account, withdraw money or read the key itself."
    >
      <QueryView
        query={stored}
        failed="The API key could not be loaded"
        skeleton={<Skeleton className="h-16" />}
      >
        {({ key }) => (
          <>
            {key ? (
              <KeyRow apiKey={key} shown={shown} onShown={setShown} onGenerate={dialog.open} />
            ) : (
              <div className="flex flex-wrap items-center justify-between gap-4 rounded-panel border border-line bg-raised p-4">
                <p>You have no API key. Programs need one to use the API as you.</p>
                <Button onClick={dialog.open}>Generate API key</Button>
              </div>
            )}
            <GenerateKeyDialog
              present={key}
              open={dialog.isOpen}
              onClose={dialog.close}
              onGenerated={setShown}
            />
          </>
        )}
      </QueryView>
      <CommandBlock label="List your instances by" commands={listCommands(location.origin, shown)} />
    </Section>
  )
}

interface KeyRowProps {
  readonly apiKey: ApiKey
  readonly shown: string | null
  readonly onShown: (key: string | null) => void
  readonly onGenerate: () => void
}

function KeyRow({ apiKey, shown, onShown, onGenerate }: KeyRowProps) {
  const [copied, copy] = useCopy()
  const [isEnding, setEnding] = useState(false)
  const offline = useOfflineReason()
  const reveal = useMutation({
    mutationFn: () => api.accounts.revealApiKey(),
    onError: error => toast.error(`Failed to show the API key: ${errorText(error)}`),
  })
  const show = async () => {
    if (shown !== null) return onShown(null)
    const answer = await reveal.mutateAsync().catch(() => null)
    if (answer) onShown(answer.key_value)
  }
  const copyKey = async () => {
    const value = shown ?? (await reveal.mutateAsync().catch(() => null))?.key_value
    if (value && !(await copy(value))) toast.error('Failed to copy: the browser refused the clipboard')
  }
  return (
    <div className="flex flex-col gap-3 rounded-panel border border-line bg-raised p-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="font-semi">{apiKey.name}</h3>
        <p className="text-label font-normal text-muted">
          Made <Time at={apiKey.created_at} />,{' '}
          {apiKey.last_used_at ? (
            <>
              last used <Time at={apiKey.last_used_at} />
            </>
          ) : (
            'never used'
          )}
        </p>
      </div>
      <code
        className="rounded-control bg-sunken px-3 py-1 font-mono text-code break-all"
        aria-label="API key"
      >
        {shown ?? apiKey.masked}
      </code>
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => void show()}
          aria-pressed={shown !== null}
          busy={reveal.isPending}
          disabledReason={offline}
        >
          {shown === null ? 'Show' : 'Hide'}
        </Button>
        <Button onClick={() => void copyKey()} disabledReason={offline}>
          {copied === 'copied' ? 'Copied' : 'Copy'}
        </Button>
        <Button onClick={onGenerate}>Generate new key</Button>
        <Button variant="danger" onClick={() => setEnding(true)}>
          Revoke
        </Button>
      </div>
      <RevokeDialog
        open={isEnding}
        onClose={() => setEnding(false)}
        name={apiKey.name}
        onRevoked={() => onShown(null)}
      />
    </div>
  )
}

interface RevokeDialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly name: string
  readonly onRevoked: () => void
}

function RevokeDialog({ open, onClose, name, onRevoked }: RevokeDialogProps) {
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => api.accounts.revokeApiKey(),
    onSuccess: () => {
      client.setQueryData(apiKeyQuery.queryKey, { key: null })
      onRevoked()
      toast.success('API key revoked')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title="Revoke API key"
      confirmLabel="Revoke API key"
      busyLabel="Revoking..."
      busy={revoke.isPending}
      error={revoke.error && `Failed to revoke API key: ${errorText(revoke.error)}`}
      onConfirm={() => revoke.mutate()}
    >
      Programs that use <strong className="font-semi text-ink">{name}</strong> are refused at once. This
      cannot be undone; a new key can be generated at any time.
    </ConfirmDialog>
  )
}
