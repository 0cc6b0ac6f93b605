import { siteFileName } from '@ingot/contracts/site/content'
import type { ContentSource, SitePartState } from '@ingot/contracts/site/setup'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { siteContentQuery } from './queries.ts'

export function SiteContentScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="What only you can vouch for on the public pages, and which of it is still an invented sample.">
          Site content
        </PageHeading>
        <Content />
      </div>
    </AdminOnly>
  )
}

/** Samples first: they are what is to be done. */
const order: Record<ContentSource, number> = { sample: 0, none: 1, standard: 2, own: 3, hidden: 4 }

function Content() {
  const query = useQuery(siteContentQuery)
  return (
    <QueryView
      query={query}
      failed="What the public pages say could not be loaded"
      skeleton={<SkeletonRows rows={8} columns={3} />}
    >
      {({ file, found, parts }) => {
        const samples = parts.filter(({ source }) => source === 'sample').length
        return (
          <section aria-label="Parts of the public pages" className="flex flex-col gap-3">
            <p className="max-w-prose">
              {samples === 0
                ? 'Nothing on the public pages is a sample. '
                : `${samples} of ${parts.length} parts are samples, and marked so wherever they are shown. `}
              Your own words stand in <span className="font-mono text-code break-all">{file}</span>,{' '}
              {found ? 'which was read when the server started' : 'which is not there, or says nothing'}.
              Restart the server after you change it.{' '}
              <a href="/docs/self-hosting/site" className="link">
                What {siteFileName} may hold
              </a>
            </p>
            <Table
              label="Parts of the public pages"
              columns={columns}
              rows={parts.toSorted((a, b) => order[a.source] - order[b.source])}
              rowKey={({ name }) => name}
            />
          </section>
        )
      }}
    </QueryView>
  )
}

const sourceWords: Record<ContentSource, string> = {
  sample: 'Sample',
  none: 'Not given',
  standard: 'As it comes',
  own: 'Yours',
  hidden: 'Hidden',
}
const sourceTones: Record<ContentSource, Tone> = {
  sample: 'warn',
  none: 'neutral',
  standard: 'neutral',
  own: 'ok',
  hidden: 'neutral',
}

const columns: readonly Column<SitePartState>[] = [
  {
    id: 'name',
    header: 'Part',
    phone: 'lead',
    className: 'min-w-0 max-sm:basis-0 sm:w-px font-mono text-code whitespace-nowrap',
    cell: ({ name }) => name,
  },
  {
    id: 'source',
    header: 'Is',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ source }) => <Badge tone={sourceTones[source]}>{sourceWords[source]}</Badge>,
  },
  {
    id: 'does',
    header: 'What it is',
    className: 'text-muted sm:max-w-0 sm:w-1/2',
    cell: ({ does }) => does.replaceAll(/[`*]/g, ''),
  },
  {
    id: 'pages',
    header: 'Shown on',
    className: 'sm:w-px',
    cell: ({ pages }) => (
      <span className="flex flex-wrap gap-x-3">
        {pages.map(page => (
          <a key={page} href={page} className="link">
            {page}
          </a>
        ))}
      </span>
    ),
  },
]
