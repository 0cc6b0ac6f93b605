import { maxMessage, mostAttachments, mostLinks } from '@ingot/contracts/support'
import { X } from 'lucide-react'
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { LinkDialog } from './LinkDialog.tsx'
import type { Side } from './side.ts'
import { type Draft, emptyDraft } from './use-send-message.ts'

interface ComposerProps {
  readonly side: Side
  /** What is being written; what could not be sent stands in it again. */
  readonly draft: Draft
  readonly onDraft: (change: (draft: Draft) => Draft) => void
  readonly onSend: (draft: Draft) => void
  readonly attach: (files: readonly File[]) => void
  readonly isAttaching: boolean
  /** Files are held over the conversation. */
  readonly isOver: boolean
  readonly isClosed: boolean
}

/** Enter sends, Shift and Enter begin a new line; what is blank is not sent. */
export function Composer({
  side,
  draft,
  onDraft,
  onSend,
  attach,
  isAttaching,
  isOver,
  isClosed,
}: ComposerProps) {
  const { content, attachments, links } = draft
  const [isLinking, setLinking] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const offline = useOfflineReason()
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (!content.trim() || offline || isAttaching) return
    onSend({ ...draft, content: content.trim() })
    onDraft(() => emptyDraft)
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    attach([...event.clipboardData.files])
  }
  return (
    <div className={cx('border-t border-line p-4', isOver && 'bg-selected')}>
      <form onSubmit={send} className="flex flex-col gap-2">
        <Textarea
          aria-label="Message"
          placeholder={isClosed ? 'Write to open it again' : 'Write a message'}
          rows={2}
          maxLength={maxMessage}
          value={content}
          onChange={event => onDraft(now => ({ ...now, content: event.target.value }))}
          onKeyDown={onKey}
          onPaste={onPaste}
        />
        {attachments.length + links.length > 0 && (
          <ul aria-label="Goes with it" className="flex flex-wrap gap-2">
            {links.map(link => (
              <Chip
                key={link.id}
                name={link.title}
                onRemove={() => onDraft(now => ({ ...now, links: now.links.filter(each => each !== link) }))}
              />
            ))}
            {attachments.map(each => (
              <Chip
                key={each.id}
                name={each.name}
                onRemove={() =>
                  onDraft(now => ({ ...now, attachments: now.attachments.filter(other => other !== each) }))
                }
              />
            ))}
          </ul>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            busy={isAttaching}
            disabledReason={
              attachments.length >= mostAttachments ? `At most ${mostAttachments} go with a message.` : null
            }
            onClick={() => files.current?.click()}
          >
            Attach file
          </Button>
          {side.of === 'customer' && (
            <Button
              disabledReason={links.length >= mostLinks ? `At most ${mostLinks} go with a message.` : null}
              onClick={() => setLinking(true)}
            >
              Attach instance
            </Button>
          )}
          <span className="ml-auto flex items-center gap-2 text-label text-muted max-sm:hidden">
            <Kbd>↵</Kbd> sends, <Kbd>⇧ ↵</Kbd> new line
          </span>
          <Button type="submit" disabledReason={offline}>
            Send
          </Button>
        </div>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          accept="image/png,image/jpeg,image/gif,image/webp,text/*,.log"
          onChange={event => {
            attach([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </form>
      {isLinking && (
        <LinkDialog
          onClose={() => setLinking(false)}
          onPick={link => {
            onDraft(now => ({
              ...now,
              links: [...now.links.filter(each => each.id !== link.id), link],
            }))
            setLinking(false)
          }}
        />
      )}
    </div>
  )
}

function Chip({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }) {
  return (
    <li className="flex items-center gap-1 rounded-tag border border-line bg-sunken pl-2">
      <span className="max-w-aside truncate">{name}</span>
      <IconButton label={`Leave ${name} out`} tooltip={false} className="size-6!" onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </li>
  )
}
