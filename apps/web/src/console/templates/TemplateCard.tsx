import type { Template } from '@ingot/contracts/templates'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { deploySearch } from './template-search.ts'

interface TemplateCardProps {
  readonly template: Template
  readonly onView: () => void
}

export function TemplateCard({ template, onView }: TemplateCardProps) {
  const { name, description, category, features, popular } = template
  return (
    <li className="flex flex-col gap-3 rounded-panel border border-line bg-raised p-4">
      <div className="flex items-start justify-between gap-2">
        <div>
          <h2 className="text-heading">{name}</h2>
          <p className="text-label text-muted">{category}</p>
        </div>
        {popular && <Badge tone="info">Popular</Badge>}
      </div>
      <p>{description}</p>
      <p className="grow text-label font-normal text-muted">{features.join(' · ')}</p>
      <div className="flex gap-2">
        <Link
          to="/console/deploy"
          search={deploySearch(template)}
          aria-label={`Deploy ${name}`}
          className={buttonClass()}
        >
          Deploy
        </Link>
        <Button variant="ghost" onClick={onView} aria-label={`View ${name}`}>
          View
        </Button>
      </div>
    </li>
  )
}
