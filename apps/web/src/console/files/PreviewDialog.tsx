import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatBytes } from '../../ui/format.ts'
import { Scroller } from '../../ui/Scroller.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { maxPreviewBytes } from '@ingot/contracts/files'
import { nameOf } from './paths.ts'
import { previewOf } from './queries.ts'
import type { FileSource } from './source.ts'

interface PreviewDialogProps {
  readonly source: FileSource
  readonly path: string
  readonly onClose: () => void
  readonly onSave: () => void
}

/** What a file begins with, where that is text or a raster image. */
export function PreviewDialog({ source, path, onClose, onSave }: PreviewDialogProps) {
  const query = useQuery({
    queryKey: ['files', source.id, 'preview', path],
    queryFn: ({ signal }) => previewOf(source, path, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={<span className="break-all">{nameOf(path)}</span>}
      width="l"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" onClick={onSave}>
            Download
          </Button>
        </>
      }
    >
      <QueryView
        query={query}
        failed="This file could not be read"
        consequence="It can still be downloaded."
        skeleton={<Skeleton className="h-24" />}
      >
        {preview => {
          if (preview.kind === 'none') return <p className="text-muted">{preview.why}</p>
          if (preview.kind === 'image')
            return <img src={preview.url} alt={nameOf(path)} className="mx-auto max-w-full" />
          return (
            <div className="flex flex-col gap-2">
              <Scroller
                label={`What ${nameOf(path)} says`}
                className="overflow-x-auto rounded-panel bg-sunken"
              >
                <pre className="p-3 font-mono text-code">{preview.text}</pre>
              </Scroller>
              {preview.isCut && (
                <p className="text-label text-muted">The first {formatBytes(maxPreviewBytes)} of it.</p>
              )}
            </div>
          )
        }}
      </QueryView>
    </Dialog>
  )
}
