import type { FileEntry } from '@ingot/contracts/files'
import { Ellipsis, File, FileQuestion, Folder, Link2 } from 'lucide-react'
import { formatBytes, formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { isNameable, nameOf } from './paths.ts'

interface FileTableProps {
  readonly path: string
  readonly rows: readonly FileEntry[]
  /** Why nothing can be fetched now. */
  readonly offline: string | null
  /** Why nothing can be changed now. */
  readonly fixed: string | null
  readonly onOpen: (entry: FileEntry) => void
  readonly onSave: (entry: FileEntry) => void
  readonly onAct: (kind: 'move' | 'delete', entry: FileEntry) => void
}

/** What is in one folder. */
export const FileTable = ({ path, rows, onOpen, ...rest }: FileTableProps) => (
  <Table
    label={`Files in ${path}`}
    columns={columnsFor(onOpen)}
    rows={rows}
    rowKey={entry => entry.name}
    onOpen={onOpen}
    renderMenu={entry => <EntryMenu entry={entry} onOpen={onOpen} {...rest} />}
  />
)

const icons = { file: File, folder: Folder, link: Link2, other: FileQuestion }

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

interface EntryMenuProps extends Omit<FileTableProps, 'path' | 'rows'> {
  readonly entry: FileEntry
}

function EntryMenu({ entry, offline, fixed, onOpen, onSave, onAct }: EntryMenuProps) {
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
        <MenuItem disabledReason={unnamed} onSelect={() => onOpen(entry)}>
          {kind === 'file' ? 'Preview' : 'Open'}
        </MenuItem>
      )}
      {kind !== 'other' && (
        <MenuItem disabledReason={unnamed ?? offline} onSelect={() => onSave(entry)}>
          {kind === 'folder' ? 'Download as .tar' : 'Download'}
        </MenuItem>
      )}
      <MenuItem disabledReason={unnamed ?? fixed} onSelect={() => onAct('move', entry)}>
        Rename or move
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger disabledReason={unnamed ?? fixed} onSelect={() => onAct('delete', entry)}>
        Delete
      </MenuItem>
    </Menu>
  )
}
