import type { Attachment, TicketLink, TicketMessage } from '@ingot/contracts/support'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { Badge } from '../../ui/Badge.tsx'
import { cx } from '../../ui/cx.ts'
import { formatBytes } from '../../ui/format.ts'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { download } from '../shell/download.ts'
import { errorText } from '../shell/error-text.ts'
import { AutomatedReply } from './AutomatedReply.tsx'
import { attachmentQuery, imageQuery } from './queries.ts'
import type { Side } from './side.ts'
import type { Sending } from './use-send-message.ts'

interface MessageItemProps {
  readonly side: Side
  readonly message: TicketMessage
}

/** Plain text: nothing in it is a link or a markup, whoever wrote it. */
export function MessageItem({ side, message }: MessageItemProps) {
  const { content, sender_type, is_automated, created_at, attachments, links } = message
  return (
    <li
      className={cx(
        'flex flex-col gap-2 border-b border-line px-4 py-3 last:border-b-0',
        is_automated && 'border-l-2 border-l-line-strong bg-sunken [border-left-style:dashed]',
      )}
    >
      <div className="flex items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2 font-semi">
          {is_automated ? (
            <>
              <span aria-hidden>🤖</span> Automated reply
              <span className="text-label font-normal text-muted">not written by a person</span>
            </>
          ) : sender_type === 'user' ? (
            side.of === 'staff' ? (
              'Customer'
            ) : (
              'You'
            )
          ) : (
            <>
              Support <Badge>Staff</Badge>
            </>
          )}
        </span>
        <span className="text-label text-muted">
          <Time at={created_at} />
        </span>
      </div>
      {is_automated ? (
        <AutomatedReply side={side} message={message} />
      ) : (
        <p className="break-words whitespace-pre-wrap">{content}</p>
      )}
      <Parts side={side} attachments={attachments} links={links} />
    </li>
  )
}

export function SendingItem({ message }: { readonly message: Sending }) {
  return (
    <li className="flex flex-col gap-2 border-b border-line px-4 py-3 text-muted last:border-b-0">
      <div className="flex items-center justify-between gap-2">
        <span className="font-semi">You</span>
        <span className="text-label">Sending...</span>
      </div>
      <p className="break-words whitespace-pre-wrap">{message.content}</p>
    </li>
  )
}

interface PartsProps {
  readonly side: Side
  readonly attachments: readonly Attachment[]
  readonly links: readonly TicketLink[]
}

function Parts({ side, attachments, links }: PartsProps) {
  if (attachments.length + links.length === 0) return null
  return (
    <div className="flex flex-wrap gap-2">
      {links.map(link => (
        <LinkCard key={link.id} side={side} link={link} />
      ))}
      {attachments.map(each =>
        each.media_type.startsWith('image/') ? (
          <ImagePart key={each.id} side={side} attachment={each} />
        ) : (
          <FilePart key={each.id} side={side} attachment={each} />
        ),
      )}
    </div>
  )
}

const cardClass = 'flex min-w-0 flex-col rounded-panel border border-line bg-raised px-3 py-2'

/** As it was when the message was sent. */
function LinkCard({ side, link }: { readonly side: Side; readonly link: TicketLink }) {
  const { kind, id, title, detail } = link
  const words = (
    <>
      <span className="truncate font-semi">{title}</span>
      <span className="truncate text-label font-normal text-muted">{detail}, when this was sent</span>
    </>
  )
  // Staff open nothing of a customer's from here.
  if (side.of === 'staff') return <span className={cardClass}>{words}</span>
  if (kind === 'instance')
    return (
      <Link to="/console/instances/$id" params={{ id }} className={cx(cardClass, 'hover:bg-hover')}>
        {words}
      </Link>
    )
  return (
    <Link to="/console/billing" className={cx(cardClass, 'hover:bg-hover')}>
      {words}
    </Link>
  )
}

function useSave(side: Side, { id, name, media_type }: Attachment) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => client.fetchQuery(attachmentQuery(side, id)),
    onSuccess: content => download(name, content, media_type),
    onError: error => toast.error(errorText(error)),
  })
}

interface AttachmentProps {
  readonly side: Side
  readonly attachment: Attachment
}

function FilePart({ side, attachment }: AttachmentProps) {
  const save = useSave(side, attachment)
  return (
    <button
      type="button"
      onClick={() => save.mutate()}
      className={cx(cardClass, 'flex-row items-center gap-2 hover:bg-hover')}
    >
      <FileText size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="truncate">{attachment.name}</span>
      <span className="shrink-0 text-label text-muted">{formatBytes(attachment.bytes)}</span>
    </button>
  )
}

/** The bytes are what the service says they are, an image, and nothing in one runs. */
function ImagePart({ side, attachment }: AttachmentProps) {
  const { data: url } = useQuery(imageQuery(side, attachment.id))
  const save = useSave(side, attachment)
  return (
    <button
      type="button"
      aria-label={`Save ${attachment.name}`}
      onClick={() => save.mutate()}
      className="overflow-hidden rounded-panel border border-line bg-sunken"
    >
      {url ? (
        <img src={url} alt={attachment.name} className="max-h-chart max-w-full object-contain" />
      ) : (
        <span className="block px-3 py-2 text-muted">{attachment.name}</span>
      )}
    </button>
  )
}
