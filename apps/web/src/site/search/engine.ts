/**
 * The one search of the public pages. The browser's dialog and the server's automated replies call it with the same
 * index: any word counts, more of them count more, what people call a thing finds what the pages call it, and a word that
 * no page has is looked for by its letters. Guides come before the reference of the API, and that before what advertises.
 */
import MiniSearch, { type Query, type SearchResult } from 'minisearch'
import { searchOptions } from './options.ts'
import { synonymsOf, wordsOf } from './words.ts'

export interface Hit {
  readonly url: string
  readonly page: string
  readonly heading: string
  readonly text: string
  /** How well it fits, for this question alone. */
  readonly score: number
  /** Of the question's words, how many it has, 0 to 1: rare ones count more. */
  readonly coverage: number
}

export interface Search {
  /** The best first. `isTyping`: its last word may go on. */
  find(question: string, most: number, isTyping?: boolean): Hit[]
  /** The words of a text as they are compared. */
  wordsOf(text: string): string[]
}

const synonymWeight = 0.35

export function loadSearch(index: string): Search {
  const engine = MiniSearch.loadJSON(index, searchOptions)
  /** In how many parts a word is; asked for again and again. */
  const counts = new Map<string, number>()
  const countOf = (word: string): number => {
    const known = counts.get(word)
    if (known !== undefined) return known
    const count = engine.search(word, { ...exact, boostDocument: undefined }).length
    counts.set(word, count)
    return count
  }
  const conceptOf = (word: string, mayGoOn: boolean) => {
    const isKnown = countOf(word) > 0
    const synonyms = synonymsOf(word).filter(each => countOf(each) > 0)
    const queries: Query[] = [
      {
        queries: [word],
        ...exact,
        ...(mayGoOn || !isKnown ? { prefix: word.length > 2 } : {}),
        ...(isKnown ? {} : { fuzzy: word.length > 3 ? 0.2 : false }),
      },
      ...synonyms.map(each => ({ queries: [each], ...exact, boostTerm: () => synonymWeight })),
    ]
    const rarity = Math.log(1 + engine.documentCount / (1 + countOf(word)))
    return { terms: new Set([word, ...synonyms]), queries, rarity: isKnown ? rarity : rarity / 2 }
  }

  return {
    wordsOf,
    find(question, most, isTyping = false) {
      const words = wordsOf(question)
      if (words.length === 0) return []
      const concepts = words.map((word, n) => conceptOf(word, isTyping && n === words.length - 1))
      const all = concepts.reduce((sum, { rarity }) => sum + rarity, 0)
      const covers = ({ queryTerms }: SearchResult) =>
        concepts.reduce(
          (sum, { terms, rarity }) => sum + (queryTerms.some(term => terms.has(term)) ? rarity : 0),
          0,
        ) / all
      const hits = engine
        .search({ combineWith: 'OR', queries: concepts.flatMap(({ queries }) => queries) })
        .map(found => ({ found, coverage: covers(found) }))
        .map(({ found, coverage }) => ({
          url: found.url as string,
          page: found.page as string,
          heading: found.heading as string,
          text: found.text as string,
          score: found.score * (0.3 + coverage),
          coverage,
        }))
      return ofPages(hits)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, most)
    },
  }
}

const pathOf = ({ url }: Hit): string => url.split('#')[0]!

/** A part of a page that is about the question as a whole is more likely meant than one that only names it. */
function ofPages(hits: readonly Hit[]): Hit[] {
  const pages = Map.groupBy(hits, pathOf)
  const best = new Map(
    [...pages].map(([path, of]) => [path, of.map(({ score }) => score).toSorted((a, b) => b - a)]),
  )
  return hits.map(hit => {
    const scores = best.get(pathOf(hit))!
    const beside = scores.slice(0, 4).reduce((sum, score) => sum + score, 0) - Math.min(hit.score, scores[0]!)
    return { ...hit, score: hit.score + besideWeight * Math.max(0, beside) }
  })
}

const besideWeight = 0.15

const exact = { prefix: false, fuzzy: false as const, processTerm: (term: string) => term }
