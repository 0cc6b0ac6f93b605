import { formatDate } from '../../ui/format.ts'
import type { PageProps } from '../page.ts'
import type { Entry } from '../prose/content.ts'
import { Prose } from '../prose/Prose.tsx'
import { DocsFrame } from './DocsFrame.tsx'
import type { DocMeta } from './tree.ts'

export function DocPage({ doc, search }: PageProps & { readonly doc: Entry<DocMeta> }) {
  const { meta, slug, headings, Body } = doc
  return (
    <DocsFrame path={`/docs/${slug}`} search={search} headings={headings}>
      <p className="text-label text-subtle">{meta.section}</p>
      <h1 className="mt-1 text-h1-site text-balance">{meta.title}</h1>
      <p className="mt-3 text-lead text-muted">{meta.description}</p>
      <Facts meta={meta} />
      <div className="mt-8">
        <Prose body={Body} />
      </div>
    </DocsFrame>
  )
}

/** What following the page takes, and how old it is. */
function Facts({ meta }: { readonly meta: DocMeta }) {
  return (
    <dl className="mt-4 flex flex-wrap gap-x-6 gap-y-1 border-b border-line pb-6 text-label text-muted">
      <Fact name="Time">{`${meta.minutes} min`}</Fact>
      <Fact name="Cost to follow">{meta.cost ?? 'nothing'}</Fact>
      <Fact name="Last checked">
        <time dateTime={meta.checked}>{formatDate(new Date(meta.checked), 'UTC')}</time>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex gap-1">
      <dt>{name}:</dt>
      <dd className="text-ink">{children}</dd>
    </div>
  )
}
