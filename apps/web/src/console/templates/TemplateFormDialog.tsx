import { IngotError } from '@ingot/contracts/errors'
import {
  type TemplateCategory,
  type TemplateDetails,
  templateCategories,
  templateLimits,
} from '@ingot/contracts/templates'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { PasswordInput } from '../../ui/PasswordInput.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { fromShell } from '../shell/call-text.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { blankTemplate, formOf, readForm, type TemplateForm, wishOf } from './template-form.ts'
import { templateCalls } from './template-text.ts'

interface TemplateFormDialogProps {
  /** Undefined: a new one. */
  readonly template?: TemplateDetails
  readonly onClose: () => void
  readonly onSaved: (id: string) => void
}

const categories = templateCategories.map(value => ({ value, label: value }))
const code = 'font-mono text-code break-all'
const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

export default function TemplateFormDialog({ template, onClose, onSaved }: TemplateFormDialogProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const [form, setForm] = useState<TemplateForm>(() => (template ? formOf(template) : blankTemplate))
  const [isTried, setTried] = useState(false)
  const set = (changes: Partial<TemplateForm>) => setForm(before => ({ ...before, ...changes }))
  const read = readForm(form)
  const verb = template ? 'Save' : 'Create'
  const save = useMutation({
    mutationFn: () => {
      const wish = wishOf(form)
      return template
        ? api.templates.update({ id: template.id, ...wish })
        : api.templates.create({ ...wish, secrets: read.secrets })
    },
    onSuccess: saved => {
      toast.success(template ? `${saved.name} saved` : `${saved.name} created`)
      onClose()
      onSaved(saved.id)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['templates'] }),
  })
  const said = save.error instanceof IngotError ? (save.error.fields ?? {}) : {}
  /** What the form itself sees comes first, once it was sent; what the service said stands until the next try. */
  const errorOf = (field: string): string | undefined => {
    const own = isTried ? read.errors[field] : undefined
    const theirs = Object.entries(said).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]
    return own ?? (theirs && `It ${theirs}`)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!save.isPending && !offline && Object.keys(read.errors).length === 0) save.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      dismissible={!save.isPending}
      title={template ? 'Edit Template' : 'Create Template'}
      description={
        template
          ? 'Instances that were made from it stay as they are.'
          : 'What an instance starts from, under a name of your own.'
      }
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-6">
        <Part title="What it is">
          <Field label="Name" required error={errorOf('name')}>
            <Input
              value={form.name}
              maxLength={templateLimits.name}
              autoComplete="off"
              onChange={event => set({ name: event.target.value })}
            />
          </Field>
          <Field label="Description" optional error={errorOf('description')}>
            <Textarea
              value={form.description}
              maxLength={templateLimits.description}
              rows={2}
              onChange={event => set({ description: event.target.value })}
            />
          </Field>
          <Field label="Category" error={errorOf('category')}>
            <Select<TemplateCategory>
              options={categories}
              value={form.category}
              onValueChange={category => set({ category })}
            />
          </Field>
        </Part>
        <Part title="What it starts">
          <Field
            label="Image"
            required
            hint="As a registry names it, such as pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel. The deploy page says in which regions it is loaded."
            error={errorOf('docker_image')}
          >
            <Input
              {...plain}
              value={form.docker_image}
              maxLength={templateLimits.image}
              className="font-mono text-code"
              onChange={event => set({ docker_image: event.target.value })}
            />
          </Field>
          <Field
            label="Start command"
            optional
            hint="Run by the machine's shell at each start. When it fails it is started again; after five ends within a minute each the instance stops. With exit code 0 the instance stops too."
            error={errorOf('start_command')}
          >
            <Textarea
              {...plain}
              value={form.start_command}
              maxLength={templateLimits.command}
              rows={2}
              className={code}
              onChange={event => set({ start_command: event.target.value })}
            />
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="Ports" optional hint="Such as 8000, 8888." error={errorOf('ports')}>
              <Input
                {...plain}
                value={form.ports}
                inputMode="text"
                maxLength={200}
                onChange={event => set({ ports: event.target.value })}
              />
            </Field>
            <Field
              label="Data storage"
              optional
              hint="What the deploy page suggests, at least."
              error={errorOf('disk_gb')}
            >
              <Input
                {...plain}
                value={form.disk_gb}
                inputMode="numeric"
                maxLength={4}
                end="GB"
                onChange={event => set({ disk_gb: event.target.value })}
              />
            </Field>
          </div>
        </Part>
        <Part title="Environment">
          <Field
            label="Variables"
            optional
            hint="NAME=value, one a line. Shown to whoever sees the template."
            error={errorOf('env')}
          >
            <Textarea
              {...plain}
              value={form.env}
              rows={3}
              className={code}
              onChange={event => set({ env: event.target.value })}
            />
          </Field>
          {form.kept.length > 0 && (
            <div className="flex flex-col gap-2">
              <p className="font-medium">Secrets that are set</p>
              {form.kept.map(({ name, isRemoved }) => (
                <Checkbox
                  key={name}
                  label={`Remove ${name}`}
                  checked={isRemoved}
                  onCheckedChange={removed =>
                    set({
                      kept: form.kept.map(each => (each.name === name ? { name, isRemoved: removed } : each)),
                    })
                  }
                />
              ))}
            </div>
          )}
          <Field
            label={template ? 'New secrets' : 'Secrets'}
            optional
            hint="NAME=value, one a line. They are variables of your own machines. They are sealed, shown never again, and go with no share and no clone."
            error={errorOf('secrets')}
          >
            <Textarea
              {...plain}
              value={form.secrets}
              rows={2}
              className={code}
              onChange={event => set({ secrets: event.target.value })}
            />
          </Field>
        </Part>
        <Part title="Registry of the image">
          {form.hasCredentials && (
            <Checkbox
              label="Remove the name and password that are set"
              checked={form.dropsCredentials}
              onCheckedChange={dropsCredentials => set({ dropsCredentials })}
            />
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label="User name" optional error={errorOf('registry_credentials')}>
              <Input
                {...plain}
                value={form.username}
                maxLength={templateLimits.credential}
                onChange={event => set({ username: event.target.value })}
              />
            </Field>
            <Field label="Password or token" optional>
              <PasswordInput
                autoComplete="new-password"
                value={form.password}
                maxLength={templateLimits.credential}
                onChange={event => set({ password: event.target.value })}
              />
            </Field>
          </div>
        </Part>
        <Part title="Readme">
          <Field
            label="Text"
            optional
            hint="Markdown. HTML in it is shown as text."
            error={errorOf('readme')}
          >
            <Textarea
              value={form.readme}
              maxLength={templateLimits.readme}
              rows={4}
              onChange={event => set({ readme: event.target.value })}
            />
          </Field>
        </Part>
        <RadioGroup
          legend="Who sees it"
          value={form.visibility}
          onValueChange={visibility => set({ visibility })}
          error={errorOf('visibility')}
          options={[
            {
              value: 'private',
              label: 'Only you',
              hint: 'A link that was given away before opens nothing more.',
            },
            {
              value: 'link',
              label: 'Whoever has the link',
              hint: 'They see all but the values of secrets and credentials, and deploy it at their own cost.',
            },
          ]}
        />
        <CommandBlock
          label="The same as a command"
          commands={templateCalls(template ? 'update' : 'create', {
            ...(template && { id: template.id }),
            ...shownWish(form, Boolean(template)),
          })}
          onCopied={() => toast.success('Copied to clipboard')}
        />
        {save.error && Object.keys(said).length === 0 && <Band tone="danger">{errorText(save.error)}</Band>}
        {isTried && (Object.keys(read.errors).length > 0 || Object.keys(said).length > 0) && (
          <Band tone="danger">
            {verb} did not work: see{' '}
            {Object.keys({ ...read.errors, ...said })
              .map(wordOf)
              .join(', ')}{' '}
            above.
          </Band>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            busy={save.isPending}
            busyLabel={template ? 'Saving...' : 'Creating...'}
            disabledReason={offline}
          >
            {template ? 'Save Template' : 'Create Template'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const words: Readonly<Record<string, string>> = {
  docker_image: 'Image',
  disk_gb: 'Data storage',
  env: 'Variables',
  registry_credentials: 'Registry',
}
const wordOf = (field: string): string => {
  const name = field.split('.')[0]!
  return words[name] ?? name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

/** As it is sent, with each secret as a variable of its name. */
function shownWish(form: TemplateForm, isUpdate: boolean) {
  const { secrets, registry_credentials, ...wish } = wishOf(form)
  const hidden = Object.entries(secrets).map(([name, value]) => [
    name,
    value === null ? null : fromShell(name),
  ])
  return {
    ...wish,
    ...(hidden.length > 0 ? { secrets: Object.fromEntries(hidden) as object } : {}),
    ...(registry_credentials
      ? {
          registry_credentials: {
            username: registry_credentials.username,
            password: fromShell('REGISTRY_PASSWORD'),
          },
        }
      : isUpdate && registry_credentials === null
        ? { registry_credentials: null }
        : {}),
  }
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="pb-2 text-heading">{title}</legend>
      {children}
    </fieldset>
  )
}
