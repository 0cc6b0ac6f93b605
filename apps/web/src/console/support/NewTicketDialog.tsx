import { maxMessage, maxTicketTitle, ticketPriorities, type TicketPriority } from '@ingot/contracts/support'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Select } from '../../ui/Select.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { sentence } from '../shell/sentence.ts'
import { useSameKey } from '../shell/use-same-key.ts'
import { ticketQuery } from './queries.ts'
import { customerSide } from './side.ts'
import { priorityText } from './ticket-text.ts'

interface NewTicketDialogProps {
  readonly onClose: () => void
  readonly onOpened: (id: string) => void
}

const priorities = ticketPriorities.map(value => ({ value, label: priorityText[value] }))

export function NewTicketDialog({ onClose, onOpened }: NewTicketDialogProps) {
  const form = useId()
  const client = useQueryClient()
  const offline = useOfflineReason()
  const sameKey = useSameKey()
  const [title, setTitle] = useState('')
  const [content, setContent] = useState('')
  const [priority, setPriority] = useState<TicketPriority>('medium')
  const [isTried, setTried] = useState(false)
  const input = { title: title.trim(), content: content.trim(), priority }
  const open = useMutation({
    mutationFn: () => api.support.create(input, sameKey(input)),
    onSuccess: ticket => {
      client.setQueryData(ticketQuery(customerSide, ticket.id).queryKey, ticket)
      void client.invalidateQueries({ queryKey: ['support'] })
      toast.success('Support ticket created successfully')
      onClose()
      onOpened(ticket.id)
    },
  })
  const isMissing = isTried && (!input.title || !input.content)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (input.title && input.content) open.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!open.isPending}
      title="New Ticket"
      footer={
        <>
          <CopyCall call="support.create" values={input} />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={open.isPending} disabledReason={offline}>
            Create Ticket
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field
          label="Subject"
          required
          error={isMissing && !input.title ? 'Please fill in all fields' : null}
        >
          <Input
            value={title}
            maxLength={maxTicketTitle}
            autoComplete="off"
            onChange={event => setTitle(event.target.value)}
          />
        </Field>
        <Field label="Priority">
          <Select options={priorities} value={priority} onValueChange={setPriority} />
        </Field>
        <Field
          label="Message"
          required
          hint="What you did, what happened, and what you expected. Files and instances can be attached afterwards."
          error={isMissing && !input.content ? 'Please fill in all fields' : null}
        >
          <Textarea
            rows={5}
            value={content}
            maxLength={maxMessage}
            onChange={event => setContent(event.target.value)}
          />
        </Field>
        {open.error && (
          <Band tone="danger">Failed to create support ticket. {sentence(errorText(open.error))}</Band>
        )}
      </form>
    </Dialog>
  )
}
