import { type Template, templateCategories, type TemplateCategory } from '@ingot/contracts/templates'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { useTemplates } from '../../templates/use-templates.ts'
import { useAuth } from '../../session/auth.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { filterTemplates } from '../../templates/template-filter.ts'
import { lastDeploy } from './last/last-deploy.ts'

interface TemplatePickerProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onConfigure: (template: Template) => void
}

export function TemplatePicker({ open, onClose, onConfigure }: TemplatePickerProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      width="l"
      title="Deploy instance"
      description="Choose what it starts from. Everything else comes next."
    >
      <PickerForm onClose={onClose} onConfigure={onConfigure} />
    </Dialog>
  )
}

const categories = [
  { value: 'all', label: 'All' },
  ...templateCategories.map(value => ({ value, label: value })),
] as const

/** That of the last deploy is chosen, or the first match, until another is, so typing a word and pressing Enter is enough. */
function PickerForm({ onClose, onConfigure }: Omit<TemplatePickerProps, 'open'>) {
  const templates = useTemplates()
  const [text, setText] = useState('')
  const [category, setCategory] = useState<TemplateCategory | 'all'>('all')
  const userId = useAuth().user?.id ?? ''
  const [chosenId, setChosenId] = useState(() => lastDeploy.get(userId)?.templateId ?? undefined)
  const narrowed = (all: readonly Template[] = []) =>
    filterTemplates(all, text, category === 'all' ? undefined : category)
  const shown = [...narrowed(templates.data?.mine), ...narrowed(templates.data?.open)]
  const chosen = shown.find(template => template.id === chosenId) ?? shown[0]

  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (chosen) onConfigure(chosen)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (!(event.target instanceof HTMLElement)) return
    const onTile = event.target.closest('[data-templates]') !== null
    if (event.key === 'Enter' && onTile) submit()
    if (event.key !== 'ArrowDown' || !event.target.matches('input')) return
    event.preventDefault()
    event.currentTarget.querySelector<HTMLElement>('[data-templates] [data-state=checked]')?.focus()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form onSubmit={submit} onKeyDown={onKeyDown} className="flex flex-col gap-4">
      <Input
        type="search"
        aria-label="Search templates"
        placeholder="Search templates"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <RadioGroup
        legend="Category"
        legendHidden
        layout="segments"
        options={categories}
        value={category}
        onValueChange={setCategory}
      />
      <QueryView
        query={templates}
        failed="The templates could not be loaded"
        skeleton={<SkeletonRows rows={4} columns={2} />}
      >
        {() =>
          shown.length === 0 ? (
            <output className="block text-muted">
              No template matches{text && ` '${text}'`}
              {category !== 'all' && ` in ${category}`}.
            </output>
          ) : (
            <div data-templates>
              <RadioGroup
                legend="Template"
                legendHidden
                layout="tiles"
                value={chosen?.id}
                onValueChange={setChosenId}
                options={shown.map(template => ({
                  value: template.id,
                  label: (
                    <span className="flex items-center gap-2">
                      {template.name}
                      {template.popular && <Badge tone="info">Popular</Badge>}
                      {!template.is_public && <Badge>Yours</Badge>}
                    </span>
                  ),
                  hint: [template.description, template.features.join(', ') || template.docker_image].join(
                    ' ',
                  ),
                }))}
              />
            </div>
          )
        }
      </QueryView>
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabledReason={chosen ? null : 'Choose a template first'}>
          Configure Resources
        </Button>
      </div>
    </form>
  )
}
