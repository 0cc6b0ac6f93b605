/** What a public page is, and what its build hands it. */
import type { ComponentType } from 'react'

export interface Assets {
  /** Scheme and host, for addresses that must be whole. */
  readonly origin: string
  readonly css: readonly string[]
  readonly scripts: readonly string[]
  /** To fetch at once, before the stylesheet asks for them. */
  readonly fonts: readonly string[]
}

export interface PageProps {
  /** Scheme and host this site is served at. */
  readonly origin: string
}

export interface Page {
  readonly path: string
  readonly title: string
  readonly description: string
  /** Only pages that search engines should find have a canonical address. */
  readonly indexed: boolean
  readonly component: ComponentType<PageProps>
}
