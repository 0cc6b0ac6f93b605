/** What a public page is, and what its build hands it. */
import type { ComponentType } from 'react'

export interface Assets {
  /** Scheme and host, for addresses that must be whole. */
  readonly origin: string
  readonly css: readonly string[]
  readonly scripts: readonly string[]
  /** To fetch at once, before the stylesheet asks for them. */
  readonly fonts: readonly string[]
  /** Where the search index of this build is. */
  readonly search: string
}

export interface PageProps {
  /** Scheme and host this site is served at. */
  readonly origin: string
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
  readonly description: string
  /** Only pages that search engines should find have a canonical address. */
  readonly indexed: boolean
  readonly component: ComponentType<PageProps>
  /** What the share image says; the title up to ` · ` when absent. */
  readonly shareTitle?: string
  /** From the front page down to this one, for search results. */
  readonly trail?: readonly { readonly name: string; readonly path: string }[]
  /** Set on blog posts. */
  readonly article?: { readonly published: string; readonly modified: string; readonly author: string }
  /** Further facts for machines, as schema.org objects. */
  readonly facts?: (origin: string) => readonly object[]
}

/** Where the build puts the image that shows when a page is shared. */
export const shareImage = (path: string): string =>
  `/share/${path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')}.png`

export const shareTitle = (page: Page): string => page.shareTitle ?? page.title.split(' · ')[0]!
