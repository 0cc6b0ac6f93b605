/** What the public pages say, found by the site's own search. */
import type { Passage, SiteSearch } from '@ingot/contracts/pages'

export interface Found extends Passage {
  readonly score: number
  readonly coverage: number
}

export interface Manual {
  /** Null: the web is not built. */
  open(): Promise<OpenManual | null>
}

export interface OpenManual {
  find(question: string, most: number): readonly Found[]
  wordsOf: SiteSearch['wordsOf']
}

export interface Extract {
  readonly url: string
  readonly title: string
  /** Of it, what fits the question best, in the order of the page. */
  readonly lines: readonly string[]
}

/** Customers are not answered from the reference, from what is for operators, or from what advertises. */
const answerable = /^\/(?:docs(?!\/(?:api|self-hosting)(?=$|[/#]))|tutorials|privacy|terms|pricing)(?=$|[/#])/
const mostFound = 200
const mostExtracts = 3
const mostLines = 3
const mostLineLength = 500
/** Less of the question than that, and the pages do not know it. */
const leastCoverage = 0.4
/** And less than that, whatever its words. */
const leastScore = 25
/** Of the best, so many have the question between them. */
const looked = 5
/** Of the best: what is far behind it is about something else. */
const leastShare = 0.6
const leastCoverageShare = 0.8

/** Null: the pages do not know it. */
export function extracts(manual: OpenManual, question: string): Extract[] | null {
  const found = manual
    .find(question, mostFound)
    .filter(({ url, lines }) => answerable.test(url) && lines.length > 0)
  const best = found[0]
  if (!best || best.score < leastScore) return null
  if (Math.max(...found.slice(0, looked).map(({ coverage }) => coverage)) < leastCoverage) return null
  const words = new Set(manual.wordsOf(question))
  return found
    .filter(
      ({ score, coverage }) =>
        score >= best.score * leastShare && coverage >= best.coverage * leastCoverageShare,
    )
    .slice(0, mostExtracts)
    .map(each => ({
      url: each.url,
      title: each.heading === each.page ? each.page : `${each.page}: ${each.heading}`,
      lines: bestLines(each.lines, words, manual),
    }))
}

function bestLines(
  lines: readonly string[],
  words: ReadonlySet<string>,
  manual: Pick<OpenManual, 'wordsOf'>,
): string[] {
  const rated = lines.map((line, place) => {
    const has = new Set(manual.wordsOf(line))
    // Of equals the first: pages say first what matters.
    return { place, line, fit: [...words].filter(word => has.has(word)).length - place / 100 }
  })
  return rated
    .toSorted((a, b) => b.fit - a.fit)
    .slice(0, mostLines)
    .toSorted((a, b) => a.place - b.place)
    .map(({ line }) => (line.length > mostLineLength ? `${line.slice(0, mostLineLength)} …` : line))
}
