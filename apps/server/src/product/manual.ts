/** What the public pages say, as this server renders them, searched by the program that the web's build ships. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Passage, SearchModule } from '@ingot/contracts/pages'
import type { Manual, OpenManual } from '../support/replies/manual.ts'
import { type Pages, webDist } from './pages.ts'

/** `show` renders the pages where what they show has changed, also on a server that serves none. */
export function openManual(pages: Pages, show: () => Promise<void>): Manual {
  let known: { readonly dir: string; readonly manual: Promise<OpenManual> } | null = null
  return {
    async open() {
      await show()
      const dir = pages.current()?.dir
      if (!dir) return null
      if (known?.dir !== dir) known = { dir, manual: read(dir) }
      return known.manual.catch(error => {
        known = null
        throw error
      })
    },
  }
}

async function read(dir: string): Promise<OpenManual> {
  const { loadSearch } = (await import(pathToFileURL(join(webDist, 'search/search.js')).href)) as SearchModule
  const search = loadSearch(await readFile(join(dir, 'search.json'), 'utf8'))
  const passages = JSON.parse(await readFile(join(dir, 'passages.json'), 'utf8')) as readonly Passage[]
  const byUrl = new Map(passages.map(passage => [passage.url, passage]))
  return {
    wordsOf: text => search.wordsOf(text),
    find: (question, most) =>
      search.find(question, most).flatMap(({ url, score, coverage }) => {
        const passage = byUrl.get(url)
        return passage ? [{ ...passage, score, coverage }] : []
      }),
  }
}
