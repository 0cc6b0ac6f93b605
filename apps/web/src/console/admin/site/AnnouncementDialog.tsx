import { IngotError } from '@ingot/contracts/errors'
import {
  type Announcement,
  announcementLimits,
  type AnnouncementPlace,
  announcementPlaces,
  type AnnouncementTone,
  announcementTones,
} from '@ingot/contracts/site/announcements'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { isoOf, localText, placeWords, toneWords } from './announcement-words.ts'
import { announcementsKey } from './queries.ts'

interface AnnouncementDialogProps {
  /** Null: a new one. */
  readonly announcement: Announcement | null
  readonly onClose: () => void
}

const placeOptions = announcementPlaces.toReversed().map(value => ({ value, label: placeWords[value] }))
const toneOptions = announcementTones.map(value => ({ value, label: toneWords[value] }))

/** Writes one, with a preview as its readers see it. */
export function AnnouncementDialog({ announcement, onClose }: AnnouncementDialogProps) {
  const form = useId()
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [text, setText] = useState(announcement?.text ?? '')
  const [tone, setTone] = useState<AnnouncementTone>(announcement?.tone ?? 'info')
  const [place, setPlace] = useState<AnnouncementPlace>(announcement?.place ?? 'both')
  const [label, setLabel] = useState(announcement?.link?.label ?? '')
  const [href, setHref] = useState(announcement?.link?.href ?? '')
  const [from, setFrom] = useState(announcement ? localText(announcement.from) : '')
  const [until, setUntil] = useState(localText(announcement?.until ?? null))
  const [missing, setMissing] = useState(false)

  const save = useMutation({
    mutationFn: () => {
      const words = {
        text: text.trim(),
        tone,
        place,
        link_label: label.trim() || null,
        link_href: href.trim() || null,
        // The minute of a beginning that was not touched has lost its seconds.
        from: announcement && from === localText(announcement.from) ? undefined : isoOf(from),
        until: isoOf(until) ?? null,
      }
      return announcement
        ? api.site.changeAnnouncement({ id: announcement.id, ...words })
        : api.site.announce(words)
    },
    onSuccess: saved => {
      void client.invalidateQueries({ queryKey: announcementsKey })
      toast.success(saved.state === 'planned' ? 'Announcement planned' : 'Announcement is shown')
      onClose()
    },
  })
  const fields = save.error instanceof IngotError ? (save.error.fields ?? {}) : {}
  const isNamed = ['text', 'link_label', 'link_href', 'from', 'until'].some(name => fields[name])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!text.trim()) return setMissing(true)
    save.mutate()
  }
  const wrong = (name: string, what: string) => fields[name] && `${what} ${fields[name]}`

  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!save.isPending}
      width="l"
      title={announcement ? 'Change announcement' : 'New announcement'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={save.isPending}
            busyLabel="Saving..."
            disabledReason={offline}
          >
            {announcement ? 'Save' : isoOf(from) ? 'Plan announcement' : 'Announce'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field
          label="Text"
          hint={`One line of plain text, at most ${announcementLimits.text} letters. Changed words are shown again to those who dismissed the old ones.`}
          error={missing ? 'Write what is to be told' : wrong('text', 'The text')}
          required
        >
          <Input
            value={text}
            maxLength={announcementLimits.text}
            onChange={event => {
              setText(event.target.value)
              setMissing(false)
            }}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <RadioGroup
            legend="Tone"
            layout="segments"
            options={toneOptions}
            value={tone}
            onValueChange={setTone}
          />
          <Field label="Where">
            <Select options={placeOptions} value={place} onValueChange={setPlace} />
          </Field>
          <Field label="Link" hint="What it says" error={wrong('link_label', 'The words')} optional>
            <Input
              value={label}
              maxLength={announcementLimits.linkLabel}
              onChange={event => setLabel(event.target.value)}
            />
          </Field>
          <Field
            label="Link address"
            hint="A page of this site, such as /blog, or an address with https://"
            error={
              fields['link_href'] && 'Write an address that begins with / or https://, with words beside it'
            }
            optional
          >
            <Input
              value={href}
              maxLength={announcementLimits.linkHref}
              spellCheck={false}
              autoCapitalize="none"
              onChange={event => setHref(event.target.value)}
            />
          </Field>
          <Field
            label="From"
            hint="In your time zone. Empty: now"
            error={wrong('from', 'The beginning')}
            optional={!announcement}
          >
            <Input type="datetime-local" value={from} onChange={event => setFrom(event.target.value)} />
          </Field>
          <Field
            label="Until"
            hint="In your time zone. Empty: until you end it"
            error={wrong('until', 'The end')}
            optional
          >
            <Input type="datetime-local" value={until} onChange={event => setUntil(event.target.value)} />
          </Field>
        </div>
        <section aria-label="Preview" className="flex flex-col gap-1">
          <h3 className="text-label text-muted">Preview</h3>
          <Band
            tone={tone}
            action={
              <span className="flex flex-wrap gap-x-4">
                {label.trim() && href.trim() && <span className="underline">{label}</span>}
                <span className="underline">Dismiss</span>
              </span>
            }
          >
            {text.trim() || 'What you write stands here.'}
          </Band>
        </section>
        {save.error && !isNamed && <Band tone="danger">{errorText(save.error)}</Band>}
      </form>
    </Dialog>
  )
}
