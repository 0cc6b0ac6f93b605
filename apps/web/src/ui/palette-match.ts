/** What is typed into the palette against what it offers: every word must be found, and a good place counts more. */
interface Findable {
  readonly label: string
  readonly keywords?: readonly string[]
  readonly id: string
}

interface Group<Item> {
  readonly heading: string
  readonly items: readonly Item[]
}

/** 0: no match. Beginning of the label, of a word of it, anywhere in it, another word for it, its id. */
function scoreOf({ label, keywords = [], id }: Findable, words: readonly string[]): number {
  const text = label.toLowerCase()
  const others = keywords.map(word => word.toLowerCase())
  const scores = words.map(word => {
    if (text.startsWith(word)) return 5
    if (text.split(/[\s:/-]+/).some(part => part.startsWith(word))) return 4
    if (text.includes(word)) return 3
    if (others.some(other => other.startsWith(word))) return 2
    return word.length > 3 && id.startsWith(word) ? 1 : 0
  })
  return Math.min(...scores)
}

/** Groups and items with the best match first; all as they are while nothing is typed. */
export function matchGroups<Item extends Findable>(
  groups: readonly Group<Item>[],
  typed: string,
): readonly Group<Item>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return groups
  return groups
    .map(({ heading, items }) => {
      const found = items
        .map(item => ({ item, score: scoreOf(item, words) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
      return { heading, items: found.map(({ item }) => item), best: found[0]?.score ?? 0 }
    })
    .filter(({ best }) => best > 0)
    .toSorted((a, b) => b.best - a.best)
}
