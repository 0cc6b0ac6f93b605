import { X } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { formatBytes } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { nameOf } from './paths.ts'
import { removeUpload, retryUpload, type UploadItem, type UploadState, useUploads } from './uploads.ts'

const words: Record<UploadState, string> = {
  waiting: 'Waits',
  sending: 'Sending',
  done: 'Done',
  failed: 'Failed',
  exists: 'Not sent',
}

/** What this tab sends to an instance or a volume, wherever in it. */
export function UploadRows({ id }: { readonly id: string }) {
  const items = useUploads(id)
  if (items.length === 0) return null
  const done = items.filter(({ state }) => state === 'done')
  const [received, bytes] = [sum(items.map(each => each.received)), sum(items.map(each => each.bytes))]
  return (
    <section
      aria-labelledby="uploads"
      className="flex flex-col gap-3 rounded-panel border border-line bg-raised p-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-2">
        <h2 id="uploads" className="text-heading">
          Uploads
        </h2>
        <span className="grow text-muted tabular-nums">
          {done.length} of {items.length} files, {formatBytes(received)} of {formatBytes(bytes)}
        </span>
        {done.length > 0 && (
          <Button onClick={() => done.forEach(({ key }) => removeUpload(key))}>Clear what is done</Button>
        )}
      </div>
      <ul className="flex flex-col gap-3">
        {items.map(item => (
          <Row key={item.key} item={item} />
        ))}
      </ul>
      {items.some(({ state }) => state === 'waiting' || state === 'sending') && (
        <p className="text-label text-muted">
          They go on while you look at other pages of the console, not when this tab is closed.
        </p>
      )}
    </section>
  )
}

const sum = (figures: readonly number[]): number => figures.reduce((all, each) => all + each, 0)

function Row({ item }: { readonly item: UploadItem }) {
  const { key, path, state, bytes, received, message } = item
  const name = nameOf(path)
  return (
    <li className="flex flex-col gap-1">
      <div className="flex items-center gap-3">
        <div className="flex min-w-0 grow flex-wrap items-baseline justify-between gap-x-3">
          <span className="min-w-0 break-all">{path}</span>
          <span className="text-muted tabular-nums max-sm:text-label">
            {words[state]}, {state === 'done' ? '' : `${formatBytes(received)} of `}
            {formatBytes(bytes)}
          </span>
        </div>
        {state === 'exists' && (
          <Button aria-label={`Replace ${name}`} onClick={() => retryUpload(key, true)}>
            Replace
          </Button>
        )}
        {state === 'failed' && (
          <Button aria-label={`Send ${name} again`} onClick={() => retryUpload(key)}>
            Try again
          </Button>
        )}
        <IconButton
          label={state === 'waiting' || state === 'sending' ? `Cancel ${name}` : `Take ${name} off the list`}
          onClick={() => removeUpload(key)}
        >
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {state === 'sending' && (
        <Progress label={`Progress of ${name}`} value={received} max={Math.max(1, bytes)} />
      )}
      {message && <p className={state === 'exists' ? 'text-warn' : 'text-danger'}>{message}</p>}
    </li>
  )
}
