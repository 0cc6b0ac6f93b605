import type { FileEntry } from '@ingot/contracts/files'
import type { Instance } from '@ingot/contracts/instances'
import { IngotError } from '@ingot/contracts/errors'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, File, FileQuestion, Folder, Link2 } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { LoadMore } from '../list/LoadMore.tsx'
import { useSearchState } from '../list/search-state.ts'
import { orMore } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { droppedFiles, pickedFiles } from './chosen-files.ts'
import { faultText } from './fault-text.ts'
import { NameDialog } from './NameDialog.tsx'
import { crumbsOf, isNameable, joined, nameOf, parentOf, readPath } from './paths.ts'
import { PreviewDialog } from './PreviewDialog.tsx'
import { folderKey, saveFile, useFolder } from './queries.ts'
import { UploadRows } from './UploadRows.tsx'
import { whyNoUploads } from './upload-file.ts'
import { addUploads, whenPlaced } from './uploads.ts'

type Open = {
  readonly kind: 'folder' | 'move' | 'delete' | 'preview'
  readonly path: string
  readonly isFolder?: boolean
} | null

const icons = { file: File, folder: Folder, link: Link2, other: FileQuestion }

/** The files of an instance, whether it runs or not. */
export function FilesTab({ instance }: { readonly instance: Instance }) {
  const { id } = instance
  const [address, change] = useSearchState()
  const path = readPath(address['path']) ?? '/'
  const { list, rows } = useFolder(id, path)
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [open, setOpen] = useState<Open>(null)
  const [isOver, setOver] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const folders = useRef<HTMLInputElement>(null)
  const refresh = () => void client.invalidateQueries({ queryKey: ['files', id] })
  const go = (to: string) => change({ path: to === '/' ? '' : to }, { step: true })
  useEffect(
    () => whenPlaced((of, folder) => void client.invalidateQueries({ queryKey: folderKey(of, folder) })),
    [client],
  )

  const save = useMutation({
    mutationFn: (of: string) => saveFile(id, of),
    onError: error => toast.error(faultText(error)),
  })
  const remove = useMutation({
    mutationFn: (of: string) => api.instances.deleteFile({ id, path: of }),
    onSuccess: () => {
      toast.success('Deleted')
      setOpen(null)
      refresh()
    },
  })
  const noUploads = whyNoUploads() ?? offline
  const upload = (chosen: ReturnType<typeof pickedFiles>) => {
    if (chosen.length) addUploads(id, path, chosen)
  }
  const openEntry = (entry: FileEntry) => {
    const at = joined(path, entry.name)
    if (!isNameable(entry.name)) return
    if (entry.kind === 'folder') go(at)
    else if (entry.kind === 'link')
      // Only the machine knows what it leads to.
      void api.instances.files({ id, path: at, limit: 1 }).then(
        () => go(at),
        () => setOpen({ kind: 'preview', path: at }),
      )
    else if (entry.kind === 'file') setOpen({ kind: 'preview', path: at })
  }
  useShortcut('n', () => setOpen({ kind: 'folder', path }), open === null && offline === null)
  useShortcut('u', () => files.current?.click(), open === null && noUploads === null)

  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (noUploads) toast.error(noUploads)
    else
      void droppedFiles(event.dataTransfer).then(upload, () =>
        toast.error('What was dropped could not be read on your computer.'),
      )
  }
  const isGone = list.error instanceof IngotError && list.error.code === 'invalid_state'
  if (isGone) return <EmptyState title="There are no files to show">{faultText(list.error)}</EmptyState>
  return (
    <div
      role="presentation"
      className={cx(
        'flex flex-col gap-4 rounded-panel',
        isOver && 'outline-2 outline-offset-4 outline-focus',
      )}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Crumbs path={path} onGo={go} />
        <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
          <CopyCall call="instances.files" values={{ id, path }} />
          <Button disabledReason={offline} shortcut="N" onClick={() => setOpen({ kind: 'folder', path })}>
            New folder
          </Button>
          <Menu
            trigger={
              <Button variant="primary" disabledReason={noUploads}>
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
                Drop files here, or choose them with Upload. They are sent in pieces, and go on after a cut.
              </EmptyState>
            ) : (
              <div className="flex flex-col gap-3">
                <Table
                  label={`Files in ${path}`}
                  columns={columnsFor(openEntry)}
                  rows={rows}
                  rowKey={entry => entry.name}
                  onOpen={openEntry}
                  renderMenu={entry => (
                    <EntryMenu
                      entry={entry}
                      offline={offline}
                      onOpen={() => openEntry(entry)}
                      onSave={() => save.mutate(joined(path, entry.name))}
                      onAct={kind =>
                        setOpen({ kind, path: joined(path, entry.name), isFolder: entry.kind === 'folder' })
                      }
                    />
                  )}
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
          id={id}
          act={{ kind: open.kind, path: open.path }}
          onClose={() => setOpen(null)}
          onDone={() => {
            setOpen(null)
            refresh()
          }}
        />
      )}
      {open?.kind === 'preview' && (
        <PreviewDialog
          id={id}
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
          open?.kind === 'delete' && <CopyCall call="instances.deleteFile" values={{ id, path: open.path }} />
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

function Crumbs({ path, onGo }: { readonly path: string; readonly onGo: (to: string) => void }) {
  return (
    <nav aria-label="Folders" className="min-w-0">
      <ol className="flex flex-wrap items-center gap-1 font-mono text-code">
        {crumbsOf(path).map(({ name, path: to }, at) => (
          <li key={to} className="flex min-w-0 items-center gap-1">
            {at > 1 && (
              <span aria-hidden className="text-muted">
                /
              </span>
            )}
            {to === path ? (
              <span aria-current="page" className="break-all">
                {name}
              </span>
            ) : (
              <button
                type="button"
                className="link min-h-6 text-left break-all"
                aria-label={to === parentOf(path) ? `Up to ${to}` : undefined}
                onClick={() => onGo(to)}
              >
                {name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

const columnsFor = (onOpen: (entry: FileEntry) => void): readonly Column<FileEntry>[] => [
  {
    id: 'name',
    header: 'Name',
    phone: 'lead',
    cell: entry => {
      const Icon = icons[entry.kind]
      const name = <span className="break-all">{entry.name}</span>
      return (
        <span className="flex items-center gap-2">
          <Icon size={16} aria-hidden className="shrink-0 text-muted" />
          {entry.kind === 'other' || !isNameable(entry.name) ? (
            name
          ) : (
            <button type="button" className="link min-h-6 text-left" onClick={() => onOpen(entry)}>
              {name}
            </button>
          )}
        </span>
      )
    },
  },
  {
    id: 'kind',
    header: 'Kind',
    phone: 'detail',
    cell: ({ kind, name }) => (isNameable(name) ? kindWords[kind] : 'Name is no text'),
  },
  {
    id: 'size',
    header: 'Size',
    numeric: true,
    phone: 'aside',
    cell: ({ kind, bytes }) =>
      kind === 'file' ? <span title={`${formatCount(bytes)} bytes`}>{formatBytes(bytes)}</span> : '–',
  },
  { id: 'modified', header: 'Modified', phone: 'detail', cell: entry => <Time at={entry.modified_at} /> },
  {
    id: 'mode',
    header: 'Mode',
    phone: 'hidden',
    cell: ({ mode }) => <span className="font-mono text-code">{mode}</span>,
  },
]

const kindWords: Record<FileEntry['kind'], string> = {
  file: 'File',
  folder: 'Folder',
  link: 'Link',
  other: 'Special file',
}

interface EntryMenuProps {
  readonly entry: FileEntry
  readonly offline: string | null
  readonly onOpen: () => void
  readonly onSave: () => void
  readonly onAct: (kind: 'move' | 'delete') => void
}

function EntryMenu({ entry, offline, onOpen, onSave, onAct }: EntryMenuProps) {
  const { kind, name } = entry
  const unnamed = isNameable(name) ? null : 'Its name is no text; rename it in a terminal.'
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${nameOf(`/${name}`)}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      {kind !== 'other' && (
        <MenuItem disabledReason={unnamed} onSelect={onOpen}>
          {kind === 'file' ? 'Preview' : 'Open'}
        </MenuItem>
      )}
      {kind !== 'other' && (
        <MenuItem disabledReason={unnamed ?? offline} onSelect={onSave}>
          {kind === 'folder' ? 'Download as .tar' : 'Download'}
        </MenuItem>
      )}
      <MenuItem disabledReason={unnamed ?? offline} onSelect={() => onAct('move')}>
        Rename or move
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger disabledReason={unnamed ?? offline} onSelect={() => onAct('delete')}>
        Delete
      </MenuItem>
    </Menu>
  )
}
