import { type Inquiry, siteLimits } from '@ingot/contracts/site'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { formatBytes } from '../../ui/format.ts'
import { toast } from '../../ui/toast.ts'
import { type Property, PropertyList } from '../../ui/PropertyList.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { Time } from '../../ui/Time.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { saveFile } from './save-file.ts'
import { aboutText, statusTones, statusWords } from './inquiry-words.ts'
import { useKeepInquiry } from './queries.ts'

interface InquiryDialogProps {
  readonly inquiry: Inquiry
  readonly onClose: () => void
}

/** One inquiry: who wrote what, what was answered, and the next answer. */
export function InquiryDialog({ inquiry, onClose }: InquiryDialogProps) {
  const { id, name, email, status, answers } = inquiry
  const form = useId()
  const keep = useKeepInquiry()
  const offline = useOfflineReason()
  const [text, setText] = useState('')
  const [textError, setTextError] = useState<string | null>(null)

  const answer = useMutation({
    mutationFn: () => api.site.answerInquiry({ id, text: text.trim() }),
    onSuccess: answered => {
      keep(answered)
      setText('')
      toast.success(`Answer sent to ${email}`)
    },
  })
  const close = useMutation({
    mutationFn: () => api.site.closeInquiry({ id }),
    onSuccess: closed => {
      keep(closed)
      toast.success('Inquiry closed')
      onClose()
    },
  })
  const isBusy = answer.isPending || close.isPending
  const failure = answer.error ?? close.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!text.trim()) return setTextError('Write an answer first')
    answer.mutate()
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      width="l"
      title={aboutText(inquiry)}
      footer={
        status === 'closed' ? (
          <Button onClick={onClose}>Close window</Button>
        ) : (
          <>
            <Button busy={close.isPending} disabledReason={offline} onClick={() => close.mutate()}>
              Close inquiry
            </Button>
            <Button
              type="submit"
              form={form}
              variant="primary"
              busy={answer.isPending}
              busyLabel="Sending..."
              disabledReason={offline}
            >
              Send answer
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>
          <span className="text-muted">
            Sent <Time at={inquiry.created_at} exact />
          </span>
        </div>
        <PropertyList
          properties={propertiesOf(inquiry)}
          onCopied={what => toast.success(`${what} copied to clipboard`)}
        />
        {inquiry.message && <Words heading={`${name} wrote`} text={inquiry.message} />}
        {answers.map(each => (
          <Words
            key={each.at}
            heading={
              <>
                Answered <Time at={each.at} exact />
              </>
            }
            text={each.text}
          />
        ))}
        {status !== 'closed' && (
          <form id={form} onSubmit={submit} noValidate>
            <Field
              label={answers.length > 0 ? 'Another answer' : 'Answer'}
              hint={`Mailed to ${email} as plain text, with what they wrote below it.`}
              error={textError}
              required
            >
              <Textarea
                className="min-h-24"
                value={text}
                maxLength={siteLimits.message}
                onChange={event => {
                  setText(event.target.value)
                  setTextError(null)
                }}
              />
            </Field>
          </form>
        )}
        {failure && <Band tone="danger">{errorText(failure)}</Band>}
      </div>
    </Dialog>
  )
}

interface WordsProps {
  readonly heading: ReactNode
  readonly text: string
}

/** Somebody's own words, with their line breaks and nothing else. */
function Words({ heading, text }: WordsProps) {
  return (
    <section>
      <h3 className="pb-1 text-label text-muted">{heading}</h3>
      <p className="max-w-prose whitespace-pre-wrap break-words">{text}</p>
    </section>
  )
}

function propertiesOf({ id, name, email, company, file }: Inquiry): Property[] {
  return [
    { name: 'From', value: name },
    { name: 'Email', value: email, copy: email },
    ...(company ? [{ name: 'Company', value: company }] : []),
    ...(file ? [{ name: 'CV', value: <FileButton id={id} file={file} /> }] : []),
  ]
}

interface FileButtonProps {
  readonly id: string
  readonly file: NonNullable<Inquiry['file']>
}

function FileButton({ id, file }: FileButtonProps) {
  const offline = useOfflineReason()
  const download = useMutation({
    mutationFn: () => api.site.inquiryFile({ id }),
    onSuccess: saveFile,
    onError: error => toast.error(`The file could not be loaded: ${errorText(error)}`),
  })
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 break-all">
        {file.name} <span className="text-muted">{formatBytes(file.bytes)}</span>
      </span>
      <Button
        busy={download.isPending}
        busyLabel="Loading..."
        disabledReason={offline}
        onClick={() => download.mutate()}
      >
        Download CV
      </Button>
    </span>
  )
}
