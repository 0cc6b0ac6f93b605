import type { FileImport } from '@ingot/contracts/files'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { faultText } from './fault-text.ts'
import { isUnderWay, refetchImports, useImports } from './imports.ts'
import { nameOf } from './paths.ts'
import type { FileSource } from './source.ts'

const words: Record<FileImport['state'], string> = {
  waiting: 'Waits',
  running: 'Fetching',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

/** What the service fetches to an instance or a volume, wherever in it. */
export function ImportRows({ source }: { readonly source: FileSource }) {
  const items = useImports(source)
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: (ids: readonly string[]) => Promise.all(ids.map(id => api.files.cancelImport({ id }))),
    onError: error => toast.error(faultText(error)),
    onSettled: () => refetchImports(client, source),
  })
  if (items.length === 0) return null
  const over = items.filter(each => !isUnderWay(each))
  return (
    <section
      aria-labelledby="imports"
      className="flex flex-col gap-3 rounded-panel border border-line bg-raised p-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-2">
        <h2 id="imports" className="grow text-heading">
          Imports
        </h2>
        {over.length > 0 && (
          <Button onClick={() => end.mutate(over.map(({ id }) => id))}>Clear what is over</Button>
        )}
      </div>
      <ul className="flex flex-col gap-3">
        {items.map(item => (
          <Row
            key={item.id}
            item={item}
            isEnding={end.isPending && end.variables.includes(item.id)}
            onEnd={() => end.mutate([item.id])}
          />
        ))}
      </ul>
      {over.length < items.length && (
        <p className="text-label text-muted">They go on when you close this tab or sign out.</p>
      )}
    </section>
  )
}

interface RowProps {
  readonly item: FileImport
  readonly isEnding: boolean
  readonly onEnd: () => void
}

function Row({ item, isEnding, onEnd }: RowProps) {
  const { path, url, state, received_bytes: received, total_bytes: total, message } = item
  const name = nameOf(path)
  const amount = state === 'running' || state === 'done' ? amountText(received, total) : null
  return (
    <li className="flex flex-col gap-1">
      <div className="flex items-center gap-3">
        <div className="flex min-w-0 grow flex-wrap items-baseline justify-between gap-x-3">
          <span className="min-w-0 break-all">{path}</span>
          <span className="text-muted tabular-nums max-sm:text-label">
            {words[state]}
            {amount && `, ${amount}`}
          </span>
        </div>
        {isUnderWay(item) ? (
          <Button aria-label={`Cancel ${name}`} busy={isEnding} busyLabel="Cancelling..." onClick={onEnd}>
            Cancel
          </Button>
        ) : (
          <IconButton label={`Take ${name} off the list`} onClick={onEnd}>
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {state === 'running' && total !== null && (
        <Progress label={`Progress of ${name}`} value={received} max={Math.max(1, total)} />
      )}
      <p className="text-label break-all text-muted">From {url}</p>
      {message && state === 'failed' && <p className="text-danger">{message}</p>}
    </li>
  )
}

const amountText = (received: number, total: number | null): string =>
  total === null || total === received
    ? formatBytes(received)
    : `${formatBytes(received)} of ${formatBytes(total)}`
