/** What a public page is, and what it is handed. */
import type { Assets, Shown } from '@ingot/contracts/pages'
import type { ComponentType } from 'react'
import type { Words } from './shown.ts'

export interface Links extends Assets {
  /** Where the search index of this rendering is. */
  readonly search: string
}

export interface PageProps {
  readonly search: string
}

export interface Page {
  readonly path: string
  /** Other addresses that show this page; `path` is the canonical one. */
  readonly aliases?: readonly string[]
  /**
   * `/tutorials`: this page answers unknown addresses below it, with status 404. Its own path is only a name, and it
   * is never indexed.
   */
  readonly notFoundFor?: `/${string}`
  readonly title: string
  readonly description: Words
  /** Only pages that search engines should find have a canonical address. */
  readonly indexed: boolean
  readonly component: ComponentType<PageProps>
  /** The page whose share image it has; one of its own when absent. */
  readonly sharedAs?: string
  /** What the share image says; the title up to ` · ` when absent. */
  readonly shareTitle?: string
  /** From the front page down to this one, for search results. */
  readonly trail?: readonly { readonly name: string; readonly path: string }[]
  /** Set on blog posts. */
  readonly article?: { readonly published: string; readonly modified: string; readonly author: string }
  /** Further facts for machines, as schema.org objects. */
  readonly facts?: (shown: Shown) => readonly object[]
}

/** Where the build puts the image that shows when a page is shared. */
export const shareImage = (path: string): string =>
  `/share/${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}.png`

export const shareTitle = (page: Page): string => page.shareTitle ?? page.title.split(' · ')[0]!
