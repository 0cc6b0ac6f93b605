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
  const { name, description, category, features, popular, visibility, docker_image, is_community } = template
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-panel border border-line bg-raised p-4">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 className="text-heading break-words">{name}</h3>
          <p className="text-label text-muted">{category}</p>
        </div>
        {is_community && <Badge>Community</Badge>}
        {popular && <Badge tone="info">Popular</Badge>}
        {visibility === 'link' && <Badge tone="info">Shared by link</Badge>}
      </div>
      {description && <p className="break-words">{description}</p>}
      <p className="grow text-label font-normal text-muted">
        {features.length > 0 ? features.join(' · ') : <span className="break-all">{docker_image}</span>}
      </p>
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
