/**
 * What the web's build hands the server, so that the server can render the public pages: a manifest beside a program
 * that needs no package. Neither the console nor a customer sees any of it.
 */
import type { ListedGpu } from './catalog.ts'
import type { ToldAnnouncement, ToldMaintenance } from './site/announcements.ts'
import type { SiteFile } from './site/content.ts'

/** What pages show that no build can know. Pages rendered from something else are out of date. */
export interface Shown {
  /** Scheme and host that the server is reached at, without a trailing slash. */
  readonly origin: string
  /** On sale. How many of each are free changes by the minute: a page asks for that itself. */
  readonly gpus: readonly ListedGpu[]
  /** Not on sale any more: a text that names one still has its figures. */
  readonly formerGpus: readonly ListedGpu[]
  /** Where an instance can be deployed. */
  readonly regions: readonly string[]
  /** Where what customers write in tickets is sent, for automated replies; null: nowhere. */
  readonly modelHost: string | null
  /** What the operator tells everybody now. */
  readonly told: { readonly maintenance: ToldMaintenance | null; readonly items: readonly ToldAnnouncement[] }
  /** What only the operator can vouch for; the rest of it is a sample. */
  readonly file: SiteFile
}

/** Files of the build that every page names. */
export interface Assets {
  readonly css: readonly string[]
  readonly scripts: readonly string[]
  /** To fetch at once, before the stylesheet asks for them. */
  readonly fonts: readonly string[]
}

/** `manifest.json` of a build. Files for browsers are in `client`, the renderer is `render/render.js`. */
export interface WebBuild {
  /** Hash of everything that the build was made from. */
  readonly source: string
  readonly assets: Assets
  /** For `script-src`, without the quotes: the inline scripts of `app.html`. */
  readonly scriptHashes: readonly string[]
  readonly app: { readonly file: string; readonly prefixes: readonly string[] }
  /** Files below carry their hash in their name and never change. */
  readonly immutable: string
}

/** What the server keeps of one rendering. */
export interface PagesManifest {
  readonly routes: readonly { readonly path: string; readonly file: string }[]
  /** The longest prefix of a missing path says which file answers; `/` is always there. */
  readonly notFound: readonly { readonly prefix: string; readonly file: string }[]
  /** Of every inline script in any page. */
  readonly scriptHashes: readonly string[]
}

export interface RenderedPages extends PagesManifest {
  /** Every page, and every file that only programs read, by name. */
  readonly files: Readonly<Record<string, string>>
}

/** A part of a page as it is read: what an answer is made of. */
export interface Passage {
  /** With the part's anchor. */
  readonly url: string
  readonly page: string
  readonly heading: string
  /** Paragraphs, points and rows of tables. */
  readonly lines: readonly string[]
}

/** What `search/search.js` exports: the search of the site, over the `search.json` of a rendering. */
export interface SearchModule {
  loadSearch(index: string): SiteSearch
}

export interface SiteSearch {
  /** The best first. `coverage`: how much of the question it has, 0 to 1. */
  find(
    question: string,
    most: number,
  ): readonly { readonly url: string; readonly score: number; readonly coverage: number }[]
  /** As the search compares words. */
  wordsOf(text: string): string[]
}

/** What `render/render.js` exports. `version` changes with what is shown. */
export interface Renderer {
  renderPages(
    shown: Shown,
    build: { readonly assets: Assets; readonly version: string },
  ): Promise<RenderedPages>
}
