import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import type { Heading } from '../prose/content.ts'
import { SearchButton } from '../search/SearchButton.tsx'
import { docsHome, neighbours, tree, type TreeItem } from './tree.ts'

interface DocsFrameProps {
  readonly path: string
  readonly search: string
  /** Contents at the right; or what stands there instead. */
  readonly headings?: readonly Heading[]
  readonly aside?: ReactNode
  /** Uses the room of the contents as well. */
  readonly wide?: boolean
  readonly children: ReactNode
}

/** Every page of the documentation: the tree at the left, the page, its contents at the right, and the way on. */
export function DocsFrame({ path, search, headings = [], aside, wide, children }: DocsFrameProps) {
  return (
    <div className="mx-auto flex max-w-site gap-8 px-4 sm:px-6 lg:gap-12">
      <div className="sticky top-header max-h-dvh w-sidebar shrink-0 self-start overflow-y-auto pt-6 pr-1 pb-24 pl-1 max-lg:hidden">
        <SearchButton index={search} />
        <Tree label="Documentation" path={path} />
      </div>
      <div className="min-w-0 grow py-6 lg:py-8">
        <div className="mb-8 flex flex-col gap-3 lg:hidden">
          <SearchButton index={search} />
          <details className="rounded-control border border-line">
            <summary className="px-3 py-3 font-medium">All pages</summary>
            <div className="border-t border-line px-3 pb-3">
              <Tree label="All pages" path={path} />
            </div>
          </details>
        </div>
        <div className={cx('flex gap-12', !wide && 'justify-between')}>
          <article className={cx('min-w-0 grow', !wide && 'max-w-prose')}>
            {children}
            <WayOn path={path} />
          </article>
          {!wide && (
            <div className="sticky top-header max-h-dvh w-menu shrink-0 self-start overflow-y-auto pt-2 pb-24 max-xl:hidden">
              {aside ?? <Contents headings={headings} />}
            </div>
          )}
        </div>
      </div>
    </div>
  )
}

function Tree({ label, path }: { readonly label: string; readonly path: string }) {
  return (
    <nav aria-label={label} className="mt-4">
      <ul>
        <TreeLink item={docsHome} path={path} />
      </ul>
      {tree.map(section => (
        <div key={section.title} className="mt-5">
          <p className="px-2 pb-1 text-label text-subtle">{section.title}</p>
          <ul>
            {section.items.map(item => (
              <TreeLink key={item.path} item={item} path={path} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

function TreeLink({ item, path }: { readonly item: TreeItem; readonly path: string }) {
  return (
    <li>
      <a
        href={item.path}
        aria-current={item.path === path ? 'page' : undefined}
        className={cx(
          'block rounded-control py-1 pr-2 text-body text-muted hover:bg-hover hover:text-ink aria-[current]:bg-selected aria-[current]:font-medium aria-[current]:text-ink pointer-coarse:py-3',
          item.nested ? 'pl-6' : 'pl-2',
        )}
      >
        {item.title}
      </a>
    </li>
  )
}

export function Contents({ headings }: { readonly headings: readonly Heading[] }) {
  if (headings.length < 2) return null
  return (
    <nav aria-label="On this page">
      <p className="text-label text-subtle">On this page</p>
      <ul className="mt-2 border-l border-line">
        {headings.map(({ depth, id, text }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              className={cx(
                '-ml-px block border-l border-transparent py-1 text-body text-muted hover:border-line-strong hover:text-ink',
                depth === 3 ? 'pl-6' : 'pl-3',
              )}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function WayOn({ path }: { readonly path: string }) {
  const { before, after } = neighbours(path)
  return (
    <nav aria-label="Before and after" className="mt-16 flex gap-4 border-t border-line pt-6">
      {before && <Way item={before} label="Before" />}
      {after && <Way item={after} label="Next" end />}
    </nav>
  )
}

interface WayProps {
  readonly item: TreeItem
  readonly label: string
  readonly end?: boolean
}

function Way({ item, label, end = false }: WayProps) {
  return (
    <a href={item.path} className={cx('group min-w-0 py-1', end && 'ml-auto text-right')}>
      <span className="block text-label text-muted">{label}</span>
      <span className="text-prose font-medium text-link group-hover:text-link-hover group-hover:underline">
        {item.title}
      </span>
    </a>
  )
}
