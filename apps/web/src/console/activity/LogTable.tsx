import type { UsageAction, UsageLog } from '@ingot/contracts/activity'
import {
  AlarmClock,
  AlarmClockOff,
  ArrowUpRight,
  CalendarCheck,
  CalendarPlus,
  CalendarX,
  CircleAlert,
  CircleCheck,
  CircleDollarSign,
  Camera,
  Copy,
  Download,
  Eye,
  FolderPlus,
  Gift,
  Hourglass,
  KeyRound,
  Link as LinkIcon,
  Maximize2,
  Pencil,
  Play,
  Plus,
  RotateCw,
  Square,
  TimerOff,
  Trash2,
  Undo2,
  Upload,
  Unlink,
  Wrench,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { cx } from '../../ui/cx.ts'
import { Money } from '../../ui/Money.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import type { SearchText } from '../list/search-state.ts'
import { actionLabel, actorWords } from './log-words.ts'

const icon = { size: 16, 'aria-hidden': true } as const
const icons: Record<UsageAction, ReactNode> = {
  instance_created: <Plus {...icon} />,
  instance_started: <Play {...icon} />,
  instance_start_failed: <CircleAlert {...icon} />,
  instance_queued: <Hourglass {...icon} />,
  instance_turn_came: <CircleCheck {...icon} />,
  instance_queue_left: <Undo2 {...icon} />,
  instance_stop_failed: <CircleAlert {...icon} />,
  instance_restart_failed: <CircleAlert {...icon} />,
  instance_delete_failed: <CircleAlert {...icon} />,
  instance_stopped: <Square {...icon} />,
  instance_auto_stopped: <TimerOff {...icon} />,
  instance_restarted: <RotateCw {...icon} />,
  instance_cloned: <Copy {...icon} />,
  instance_deleted: <Trash2 {...icon} />,
  instance_term_extended: <CalendarPlus {...icon} />,
  instance_updated: <Pencil {...icon} />,
  instance_snoozed: <AlarmClock {...icon} />,
  instance_snooze_ended: <AlarmClockOff {...icon} />,
  instance_schedule_added: <CalendarPlus {...icon} />,
  instance_schedule_changed: <Pencil {...icon} />,
  instance_schedule_removed: <Trash2 {...icon} />,
  instance_schedule_missed: <CircleAlert {...icon} />,
  instance_ssh_password_made: <KeyRound {...icon} />,
  instance_ssh_password_shown: <Eye {...icon} />,
  instance_port_added: <Plus {...icon} />,
  instance_port_changed: <Pencil {...icon} />,
  instance_port_removed: <Trash2 {...icon} />,
  instance_port_shared: <LinkIcon {...icon} />,
  instance_port_unshared: <Unlink {...icon} />,
  instance_usage_charged: <CircleDollarSign {...icon} />,
  instance_command_ended: <CircleAlert {...icon} />,
  instance_maintenance_planned: <Wrench {...icon} />,
  instance_maintenance_off: <Undo2 {...icon} />,
  instance_maintenance_over: <CircleCheck {...icon} />,
  instance_file_uploaded: <Upload {...icon} />,
  instance_file_moved: <Pencil {...icon} />,
  instance_file_deleted: <Trash2 {...icon} />,
  instance_folder_made: <FolderPlus {...icon} />,
  instance_file_imported: <Download {...icon} />,
  instance_import_failed: <CircleAlert {...icon} />,
  volume_created: <Plus {...icon} />,
  volume_available: <CircleCheck {...icon} />,
  volume_creation_failed: <CircleAlert {...icon} />,
  volume_renamed: <Pencil {...icon} />,
  volume_attached: <LinkIcon {...icon} />,
  volume_attach_failed: <CircleAlert {...icon} />,
  volume_detached: <Unlink {...icon} />,
  volume_renewed: <CalendarCheck {...icon} />,
  volume_lapsed: <CalendarX {...icon} />,
  volume_revived: <CircleCheck {...icon} />,
  volume_deleted: <Trash2 {...icon} />,
  volume_ended: <Trash2 {...icon} />,
  volume_snapshot_renewed: <CalendarCheck {...icon} />,
  volume_snapshot_lapsed: <CalendarX {...icon} />,
  volume_snapshot_revived: <CircleCheck {...icon} />,
  volume_snapshot_ended: <Trash2 {...icon} />,
  volume_growth_started: <Maximize2 {...icon} />,
  volume_grown: <CircleCheck {...icon} />,
  volume_growth_failed: <CircleAlert {...icon} />,
  volume_restored: <Copy {...icon} />,
  volume_snapshot_taken: <Camera {...icon} />,
  volume_snapshot_available: <CircleCheck {...icon} />,
  volume_snapshot_failed: <CircleAlert {...icon} />,
  volume_snapshot_deleted: <Trash2 {...icon} />,
  volume_file_uploaded: <Upload {...icon} />,
  volume_file_moved: <Pencil {...icon} />,
  volume_file_deleted: <Trash2 {...icon} />,
  volume_folder_made: <FolderPlus {...icon} />,
  volume_file_imported: <Download {...icon} />,
  volume_import_failed: <CircleAlert {...icon} />,
  api_key_generated: <KeyRound {...icon} />,
  api_key_revealed: <Eye {...icon} />,
  api_key_revoked: <Trash2 {...icon} />,
  ssh_key_added: <KeyRound {...icon} />,
  ssh_key_removed: <Trash2 {...icon} />,
  template_created: <Plus {...icon} />,
  template_updated: <Pencil {...icon} />,
  template_deleted: <Trash2 {...icon} />,
  template_proposed: <ArrowUpRight {...icon} />,
  template_withdrawn: <Undo2 {...icon} />,
  template_approved: <CircleCheck {...icon} />,
  template_rejected: <CircleAlert {...icon} />,
  withdrawal_requested: <ArrowUpRight {...icon} />,
  withdrawal_cancelled: <Undo2 {...icon} />,
  withdrawal_refused: <Undo2 {...icon} />,
  withdrawal_paid: <CircleCheck {...icon} />,
  credit_granted: <Gift {...icon} />,
  credit_lapsed: <TimerOff {...icon} />,
}

/** Things that cost money and have no icons of their own yet are charged, or end. */
const iconOf = (action: string): ReactNode =>
  (icons as Partial<Record<string, ReactNode>>)[action] ?? icons.instance_usage_charged

const isFailure = (action: UsageLog['action']): boolean => action.endsWith('_failed')

const NameOr = ({ id, name }: { readonly id: string; readonly name: string | null }) =>
  name ?? <code className="font-mono text-code">{id.slice(0, 8)}</code>

const columns: readonly Column<UsageLog>[] = [
  {
    id: 'event',
    header: 'Event',
    phone: 'lead',
    className: 'sm:py-1',
    cell: ({ action, actor, message }) => (
      <span className="flex items-start gap-2">
        <span className={cx('flex h-5 items-center', isFailure(action) ? 'text-danger' : 'text-muted')}>
          {iconOf(action)}
        </span>
        <span>
          <span className={cx('font-medium', isFailure(action) && 'text-danger')}>{actionLabel(action)}</span>
          {actor && actorWords[actor] && <span className="text-muted"> {actorWords[actor]}</span>}
          {message && <span className="block whitespace-pre-line break-words text-muted">{message}</span>}
        </span>
      </span>
    ),
  },
  {
    id: 'about',
    header: 'About',
    cell: ({ instance_id, instance_name, volume_id, volume_name, volume_is_gone }) => (
      <span className="inline-flex flex-wrap items-baseline gap-x-2">
        {volume_id &&
          (volume_is_gone ? (
            <Link
              to="/console/logs"
              search={(before: SearchText) => ({ ...before, volume: volume_id })}
              title="Only this volume"
              className="hover:underline"
            >
              <NameOr id={volume_id} name={volume_name} />
            </Link>
          ) : (
            <Link
              to="/console/network-volumes/$id"
              params={{ id: volume_id }}
              title="The volume's page"
              className="hover:underline"
            >
              <NameOr id={volume_id} name={volume_name} />
            </Link>
          ))}
        {instance_id && (
          <Link
            to="/console/logs"
            search={(before: SearchText) => ({ ...before, instance: instance_id })}
            title="Only this instance"
            className={cx('hover:underline', volume_id && 'text-muted')}
          >
            <NameOr id={instance_id} name={instance_name} />
          </Link>
        )}
      </span>
    ),
  },
  {
    id: 'time',
    header: 'Time',
    cell: ({ timestamp }) => (
      <span className="text-muted">
        <Time at={timestamp} />
      </span>
    ),
  },
  {
    id: 'duration',
    header: 'Duration',
    numeric: true,
    cell: ({ seconds, duration_minutes }) =>
      seconds !== null && (
        <>
          {duration_minutes} min
          <span className="text-muted sm:block sm:text-label sm:font-normal"> {Number(seconds)} s</span>
        </>
      ),
  },
  {
    id: 'cost',
    header: 'Cost',
    numeric: true,
    phone: 'aside',
    cell: ({ cost, seconds }) => (seconds !== null || !/^0\.0+$/.test(cost)) && <Money value={cost} />,
  },
]

interface LogTableProps {
  readonly logs: readonly UsageLog[]
  readonly refreshing: boolean
}

export function LogTable({ logs, refreshing }: LogTableProps) {
  return <Table label="Events" columns={columns} rows={logs} rowKey={log => log.id} refreshing={refreshing} />
}
