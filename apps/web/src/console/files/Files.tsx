import type { FileEntry } from '@ingot/contracts/files'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { LoadMore } from '../list/LoadMore.tsx'
import { useSearchState } from '../list/search-state.ts'
import { orMore } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { pickedFiles } from './chosen-files.ts'
import { Crumbs } from './Crumbs.tsx'
import { faultText } from './fault-text.ts'
import { FileTable } from './FileTable.tsx'
import { ImportDialog } from './ImportDialog.tsx'
import { ImportRows } from './ImportRows.tsx'
import { NameDialog } from './NameDialog.tsx'
import { isNameable, joined, readPath } from './paths.ts'
import { PreviewDialog } from './PreviewDialog.tsx'
import { folderKey, saveFile, useFolder } from './queries.ts'
import type { FileSource } from './source.ts'
import { UploadRows } from './UploadRows.tsx'
import { whyNoUploads } from './upload-file.ts'
import { addUploads, type Chosen, whenPlaced } from './uploads.ts'
import { useFileDrop } from './use-file-drop.ts'

type Open = {
  readonly kind: 'folder' | 'move' | 'delete' | 'preview'
  readonly path: string
  readonly isFolder?: boolean
} | null

/** The files of an instance, whether it runs or not, or of a volume. The folder that is shown stands in the address. */
export function Files({ source }: { readonly source: FileSource }) {
  const { kind, id, readOnly } = source
  const [address, change] = useSearchState()
  const path = readPath(address['path']) ?? '/'
  const { list, rows } = useFolder(source, path)
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [open, setOpen] = useState<Open>(null)
  const [isImporting, setImporting] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  const refresh = () => void client.invalidateQueries({ queryKey: ['files', id] })
  const go = (to: string) => change({ path: to === '/' ? '' : to }, { step: true })
  useEffect(
    () => whenPlaced((of, folder) => void client.invalidateQueries({ queryKey: folderKey(of, folder) })),
    [client],
  )

  const save = useMutation({
    mutationFn: (of: string) => saveFile(source, of),
    onError: error => toast.error(faultText(error)),
  })
  const remove = useMutation({
    mutationFn: (of: string) => api[kind].deleteFile({ id, path: of }),
    onSuccess: () => {
      toast.success('Deleted')
      setOpen(null)
      refresh()
    },
  })
  const fixed = readOnly ?? offline
  const noUploads = readOnly ?? whyNoUploads() ?? offline
  const upload = (chosen: readonly Chosen[]) => {
    if (chosen.length) addUploads(source, path, chosen)
  }
  const openEntry = (entry: FileEntry) => {
    const at = joined(path, entry.name)
    if (!isNameable(entry.name)) return
    if (entry.kind === 'folder') go(at)
    else if (entry.kind === 'link')
      // Only the machine knows what it leads to.
      void api[kind].files({ id, path: at, limit: 1 }).then(
        () => go(at),
        () => setOpen({ kind: 'preview', path: at }),
      )
    else if (entry.kind === 'file') setOpen({ kind: 'preview', path: at })
  }
  useShortcut('n', () => setOpen({ kind: 'folder', path }), open === null && fixed === null)
  useShortcut('u', () => files.current?.click(), open === null && noUploads === null)

  const drop = useFileDrop(upload, noUploads)
  const isGone = list.error instanceof IngotError && list.error.code === 'invalid_state'
  if (isGone) return <EmptyState title="There are no files to show">{faultText(list.error)}</EmptyState>
  return (
    <div
      role="presentation"
      className={cx(
        'flex flex-col gap-4 rounded-panel',
        drop.isOver && 'outline-2 outline-offset-4 outline-focus',
      )}
      {...drop.target}
    >
      {readOnly && <Band tone="warn">{readOnly}</Band>}
      <div className="flex flex-wrap items-center gap-2">
        <Crumbs path={path} onGo={go} />
        <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
          <CopyCall call={`${kind}.files`} values={{ id, path }} />
          <Button disabledReason={fixed} shortcut="N" onClick={() => setOpen({ kind: 'folder', path })}>
            New folder
          </Button>
          <Button disabledReason={fixed} onClick={() => setImporting(true)}>
            Import from URL
          </Button>
          <Menu
            trigger={
              <Button variant={kind === 'instances' ? 'primary' : 'secondary'} disabledReason={noUploads}>
                Upload
              </Button>
            }
          >
            <MenuItem shortcut="U" onSelect={() => files.current?.click()}>
              Files
            </MenuItem>
            <MenuItem onSelect={() => folders.current?.click()}>A folder with all that is in it</MenuItem>
          </Menu>
        </div>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ target }) => {
            if (target.files) upload(pickedFiles(target.files))
            target.value = ''
          }}
        />
        <input
          ref={node => {
            folders.current = node
            node?.setAttribute('webkitdirectory', '')
          }}
          type="file"
          multiple
          hidden
          aria-label="Folder to upload"
          onChange={({ target }) => {
            if (target.files) upload(pickedFiles(target.files))
            target.value = ''
          }}
        />
      </div>
      <UploadRows id={id} />
      <ImportRows source={source} />
      {list.error instanceof IngotError && list.error.fields && rows.length === 0 ? (
        <ErrorState
          title={`${path} cannot be shown`}
          action={<Button onClick={() => go('/')}>Go to /</Button>}
        >
          {faultText(list.error)}
        </ErrorState>
      ) : (
        <QueryView
          query={list}
          failed="This folder could not be read"
          consequence="Nothing in it has changed."
          skeleton={<SkeletonRows rows={6} columns={3} />}
        >
          {() =>
            rows.length === 0 ? (
              <EmptyState title="This folder is empty">
                {readOnly
                  ? 'There is nothing in it to read.'
                  : 'Drop files here, or choose them with Upload. They are sent in pieces, and go on after a cut.'}
              </EmptyState>
            ) : (
              <div className="flex flex-col gap-3">
                <FileTable
                  path={path}
                  rows={rows}
                  offline={offline}
                  fixed={fixed}
                  onOpen={openEntry}
                  onSave={entry => save.mutate(joined(path, entry.name))}
                  onAct={(act, entry) =>
                    setOpen({
                      kind: act,
                      path: joined(path, entry.name),
                      isFolder: entry.kind === 'folder',
                    })
                  }
                />
                <p className="text-label text-muted">
                  {orMore(rows.length, list)} {rows.length === 1 ? 'entry' : 'entries'}, by name
                </p>
                <LoadMore list={list} />
              </div>
            )
          }
        </QueryView>
      )}
      {(open?.kind === 'folder' || open?.kind === 'move') && (
        <NameDialog
          source={source}
          act={{ kind: open.kind, path: open.path }}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null)
            refresh()
          }}
        />
      )}
      <ImportDialog source={source} folder={path} open={isImporting} onClose={() => setImporting(false)} />
      {open?.kind === 'preview' && (
        <PreviewDialog
          source={source}
          path={open.path}
          onClose={() => setOpen(null)}
          onSave={() => save.mutate(open.path)}
        />
      )}
      <ConfirmDialog
        open={open?.kind === 'delete'}
        onOpenChange={() => {
          setOpen(null)
          remove.reset()
        }}
        title={open?.isFolder ? 'Delete folder' : 'Delete file'}
        confirmLabel={open?.isFolder ? 'Delete folder' : 'Delete file'}
        busyLabel="Deleting..."
        busy={remove.isPending}
        error={remove.error && faultText(remove.error)}
        command={
          open?.kind === 'delete' && <CopyCall call={`${kind}.deleteFile`} values={{ id, path: open.path }} />
        }
        onConfirm={() => open && remove.mutate(open.path)}
      >
        {open && (
          <>
            <span className="break-all">{open.path}</span> is deleted
            {open.isFolder && ' with all that is in it'}. It can’t be brought back.
          </>
        )}
      </ConfirmDialog>
    </div>
  )
}
