import { Badge } from '../../ui/Badge.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { cards } from './tutorials.ts'

export function TutorialsPage() {
  return (
    <Frame>
      <PageHead
        title="Tutorials"
        lead="Each one is followed by a test, step by step, on an instance of this product. So what it shows is what you get."
      />
      <ul className="border-t border-line">
        {cards.map(({ title, description, duration, level, category, path }) => (
          <li
            key={title}
            className="grid items-center gap-x-8 gap-y-4 border-b border-line py-8 sm:grid-cols-[auto_1fr_auto]"
          >
            <p className="w-16">
              <span className="block text-h1-site tabular-nums">{duration}</span>
              <span className="text-label text-muted">min</span>
            </p>
            <div className="min-w-0">
              <h2 className="text-title text-balance">{title}</h2>
              <p className="mt-1 max-w-prose text-prose text-muted">{description}</p>
              <p className="mt-3 flex gap-2">
                <Badge>{level}</Badge>
                <Badge>{category}</Badge>
              </p>
            </div>
            {path ? (
              <a
                href={path}
                aria-label={`Start Tutorial: ${title}`}
                className={buttonClass('secondary', 'l')}
              >
                Start Tutorial
              </a>
            ) : (
              <p className="text-body font-medium text-muted">Coming</p>
            )}
          </li>
        ))}
      </ul>
    </Frame>
  )
}
