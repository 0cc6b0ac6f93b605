/** `/docs/api` and a page below it for each noun. */
import type { Page, PageProps } from '../../page.ts'
import { DocsFrame } from '../DocsFrame.tsx'
import { docsTrail } from '../tree.ts'
import { EntryView } from './EntryView.tsx'
import { OverviewPage } from './OverviewPage.tsx'
import { apiNouns } from '../reference/reference.ts'

type Noun = (typeof apiNouns)[number]

function NounPage({ noun, title, entries, search }: Noun & PageProps) {
  return (
    <DocsFrame path={`/docs/api/${noun}`} search={search} wide>
      <p className="text-label text-subtle">API reference</p>
      <h1 className="mt-1 text-h1-site">{title} API</h1>
      <p className="mt-3 max-w-prose text-lead text-muted">
        Generated from the contract that the server itself runs on, so it cannot be out of date.
      </p>
      <ul className="mt-6 mb-12 grid gap-x-8 gap-y-1 text-body lg:grid-cols-2">
        {entries.map(entry => (
          <li key={entry.id} className="flex gap-2">
            <a href={`#${entry.anchor}`} className="link font-mono text-code break-all">
              {entry.method} {entry.path}
            </a>
          </li>
        ))}
      </ul>
      {entries.map(entry => (
        <EntryView key={entry.id} entry={entry} />
      ))}
    </DocsFrame>
  )
}

const trail = { name: 'API reference', path: '/docs/api' }

export const apiPages: readonly Page[] = [
  {
    path: '/docs/api',
    title: 'API reference · Ingot',
    description:
      'The HTTP API of the cloud: authentication, errors, paging, safe retries, live events, and every call with examples in curl, JavaScript and Python.',
    indexed: true,
    component: OverviewPage,
    trail: docsTrail(trail),
  },
  ...apiNouns.map((noun): Page => {
    const path = `/docs/api/${noun.noun}`
    return {
      path,
      title: `${noun.title} API · Ingot`,
      description: `${noun.entries.length} ${noun.entries.length === 1 ? 'call' : 'calls'} of the ${noun.title.toLowerCase()} API: fields, limits, errors, and each as a request in curl, JavaScript and Python.`,
      indexed: true,
      component: props => <NounPage {...props} {...noun} />,
      trail: docsTrail(trail, { name: noun.title, path }),
    }
  }),
]
