import { buttonClass } from '../../ui/button-class.ts'
import { formatDate } from '../../ui/format.ts'
import { Contents } from '../docs/DocsFrame.tsx'
import type { PageProps } from '../page.ts'
import { Prose } from '../prose/Prose.tsx'
import { SearchButton } from '../search/SearchButton.tsx'
import { categoryPath, type Post } from './posts.ts'

export function PostPage({ post, search }: PageProps & { readonly post: Post }) {
  const { meta, headings, Body } = post
  return (
    <div className="mx-auto flex max-w-site justify-between gap-12 px-4 py-12 sm:px-6 lg:py-16">
      <article className="min-w-0 max-w-prose grow">
        <header>
          <p className="flex flex-wrap gap-x-4 text-body">
            <a href="/blog" className="link">
              Blog
            </a>
            <a href={categoryPath(meta.category)} className="link">
              {meta.category}
            </a>
          </p>
          <h1 className="mt-3 text-h1-site text-balance">{meta.title}</h1>
          <p className="mt-4 text-lead text-muted">{meta.description}</p>
          <div className="mt-6 flex flex-wrap items-center justify-between gap-4 border-y border-line py-3">
            <p className="text-body text-muted">
              <span className="font-medium text-ink">{meta.author}</span>, {meta.role}.{' '}
              <time dateTime={meta.date}>{formatDate(new Date(meta.date), 'UTC')}</time>
              {meta.modified && (
                <>
                  , changed <time dateTime={meta.modified}>{formatDate(new Date(meta.modified), 'UTC')}</time>
                </>
              )}
              . {meta.readMinutes} min read.
            </p>
            <button type="button" data-island="share" className={`needs-script ${buttonClass()}`}>
              Share
            </button>
          </div>
        </header>
        <div className="mt-8">
          <Prose body={Body} />
        </div>
        <footer className="mt-12 border-t border-line pt-6">
          <ul aria-label="Tags" className="flex flex-wrap gap-x-4 text-body text-muted">
            {meta.tags.map(tag => (
              <li key={tag}>{tag}</li>
            ))}
          </ul>
          <div className="mt-6 flex flex-wrap gap-3">
            <a href="/get-started" className={buttonClass('secondary', 'l')}>
              Get Started
            </a>
            <a href="/blog" className={buttonClass('secondary', 'l')}>
              More posts
            </a>
          </div>
        </footer>
      </article>
      <div className="sticky top-header w-sidebar shrink-0 self-start py-1 max-lg:hidden">
        <SearchButton index={search} />
        <div className="mt-6">
          <Contents headings={headings} />
        </div>
      </div>
    </div>
  )
}
