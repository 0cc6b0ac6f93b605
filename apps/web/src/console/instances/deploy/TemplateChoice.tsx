import type { TemplateDetails } from '@ingot/contracts/templates'
import { Band } from '../../../ui/Band.tsx'
import { formatGb } from '../../../ui/format.ts'
import type { DeploySearch } from './deploy-search.ts'

interface TemplateChoiceProps {
  readonly state: DeploySearch
  readonly template: TemplateDetails | undefined
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
        There is no such template, or it is not shared any more.
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
        {template && <StartText template={template} />}
      </div>
      {change}
    </div>
  )
}

/** What it starts, and what it is meant to have. */
function StartText({ template }: { readonly template: TemplateDetails }) {
  const { docker_image, start_command, ports, disk_gb, is_mine, is_public } = template
  const parts = [
    ports.length > 0 && `Ports ${ports.join(', ')}`,
    disk_gb !== null && `${formatGb(disk_gb)} of data storage or more`,
  ].filter(Boolean)
  return (
    <>
      <p className="font-mono text-code break-all text-muted">{docker_image}</p>
      {start_command !== null && (
        <p className="font-mono text-code break-all whitespace-pre-wrap text-muted">$ {start_command}</p>
      )}
      {parts.length > 0 && <p className="text-muted">{parts.join('. ')}.</p>}
      {!is_mine && !is_public && <p className="text-warn">Shared by somebody else, by a link.</p>}
    </>
  )
}
