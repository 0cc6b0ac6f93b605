import type { Template } from '@ingot/contracts/templates'
import { Band } from '../../../ui/Band.tsx'
import type { DeploySearch } from './deploy-search.ts'

interface TemplateChoiceProps {
  readonly state: DeploySearch
  readonly template: Template | undefined
  readonly isUnknown: boolean
  readonly onChange: () => void
}

/** What it starts from: the catalogue's own words, and until they are here those of the link. */
export function TemplateChoice({ state, template, isUnknown, onChange }: TemplateChoiceProps) {
  const change = (
    <button type="button" onClick={onChange} className="link min-h-6 whitespace-nowrap">
      Choose another
    </button>
  )
  if (isUnknown)
    return (
      <Band tone="danger" action={change}>
        There is no such template.
      </Band>
    )
  const { templateName, templateDescription, templateCategory } = state
  const { name, description, category } = template ?? {
    name: templateName,
    description: templateDescription,
    category: templateCategory,
  }
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 rounded-panel bg-sunken p-3 forced-colors:border">
      <div className="min-w-0">
        <p className="font-semi">{name || 'Template'}</p>
        <p className="text-muted">{[category, description].filter(Boolean).join('. ')}</p>
      </div>
      {change}
    </div>
  )
}
