import type { Template } from '@ingot/contracts/templates'
import { Link } from '@tanstack/react-router'
import { Band } from '../../../ui/Band.tsx'
import type { DeploySearch } from './deploy-search.ts'

interface TemplateChoiceProps {
  readonly state: DeploySearch
  readonly template: Template | undefined
  readonly isUnknown: boolean
}

/** What it starts from: the catalogue's own words, and until they are here those of the link. */
export function TemplateChoice({ state, template, isUnknown }: TemplateChoiceProps) {
  const change = (
    <Link to="/console/instances" search={{ deploy: '1' }} className="link whitespace-nowrap">
      Choose another
    </Link>
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
