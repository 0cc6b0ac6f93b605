import { formatDate } from '../../ui/format.ts'
import { useBlock } from '../content/content.ts'
import type { PageProps } from '../page.ts'
import type { MdxModule } from '../prose/content.ts'
import { Prose } from '../prose/Prose.tsx'
import { DocsFrame } from './DocsFrame.tsx'
import { updates } from './updates.ts'

const [home] = Object.values(
  import.meta.glob<MdxModule>('../../../content/reference/home.mdx', { eager: true }),
)

const quickLinks = [
  { href: '/docs/api', title: 'API reference', text: 'Every call, with examples' },
  { href: '/docs/sdk', title: 'SDK', text: 'The typed client for JavaScript' },
  { href: '/tutorials', title: 'Tutorials', text: 'From nothing to a trained model' },
  { href: '/community', title: 'Community', text: 'Where to ask others' },
]

export function DocsHomePage({ search }: PageProps) {
  const { headings, default: Body } = home!
  const anchors = headings.filter(heading => heading.depth === 2)
  return (
    <DocsFrame path="/docs" search={search} aside={<SideCards anchors={anchors} />}>
      <h1 className="text-h1-site">Documentation</h1>
      <p className="mt-3 text-lead text-muted">
        From an account to a shell on a GPU, and everything behind it. Each command on these pages is run by a
        test before it is published.
      </p>
      <ul className="mt-8 grid border-t border-line sm:grid-cols-2 sm:gap-x-8">
        {quickLinks.map(link => (
          <li key={link.href} className="border-b border-line">
            <a href={link.href} className="group block py-3">
              <span className="block text-heading text-link group-hover:underline">{link.title}</span>
              <span className="text-body text-muted">{link.text}</span>
            </a>
          </li>
        ))}
      </ul>
      <div className="mt-12">
        <Prose body={Body} />
      </div>
      <div className="mt-12 grid gap-8 border-t border-line pt-8 sm:grid-cols-2 xl:hidden">
        <NeedHelp />
        <LatestUpdates />
      </div>
    </DocsFrame>
  )
}

interface SideCardsProps {
  readonly anchors: readonly { readonly id: string; readonly text: string }[]
}

function SideCards({ anchors }: SideCardsProps) {
  return (
    <div className="space-y-8">
      <nav aria-label="Quick Navigation">
        <h2 className="text-heading">Quick Navigation</h2>
        <ul className="mt-2 border-l border-line">
          {anchors.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`} className="block py-1 pl-3 text-body text-muted hover:text-ink">
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <NeedHelp />
      <LatestUpdates />
    </div>
  )
}

function NeedHelp() {
  const chat = useBlock('channels')?.content[0]
  return (
    <div data-search="off">
      <h2 className="text-heading">Need Help</h2>
      <ul className="mt-2 space-y-1 text-body">
        <li>
          <a href="/contact" className="link">
            Contact Support
          </a>
        </li>
        {chat?.url && (
          <li>
            <a href={chat.url} target="_blank" rel="noreferrer" className="link">
              {chat.join}
            </a>
          </li>
        )}
      </ul>
    </div>
  )
}

function LatestUpdates() {
  return (
    <div data-search="off">
      <h2 className="text-heading">Latest Updates</h2>
      <ul className="mt-2 space-y-3 text-body">
        {updates.map(({ date, text, href }) => (
          <li key={text}>
            <time dateTime={date} className="block text-label text-muted">
              {formatDate(new Date(date), 'UTC')}
            </time>
            <a href={href} className="link">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
