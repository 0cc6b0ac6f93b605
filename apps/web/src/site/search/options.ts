import { processTerm } from './words.ts'

/** What is asked for by customers comes before what is asked for by programs and operators. */
const weights: readonly (readonly [RegExp, number])[] = [
  [/^\/docs\/api(?=$|[/#])/, 0.45],
  [/^\/docs\/self-hosting(?=$|[/#])/, 0.4],
  [/^\/docs(?=$|[#])/, 0.6],
  [/^\/docs(?=\/)/, 1],
  [/^\/tutorials(?=$|[/#])/, 0.75],
  [/^\/(privacy|terms)(?=$|#)/, 0.7],
  [/^\/pricing(?=$|#)/, 0.7],
  [/^\/blog/, 0.25],
]
const weightOf = (url: string): number => weights.find(([path]) => path.test(url))?.[1] ?? 0.25

/** The same on both sides: the rendering writes the index, browser and server read it. */
export const searchOptions = {
  processTerm,
  fields: ['heading', 'page', 'words'],
  storeFields: ['url', 'page', 'heading', 'text'],
  searchOptions: {
    boost: { heading: 3, page: 2 },
    boostDocument: (_id: unknown, _term: string, stored?: Record<string, unknown>) =>
      weightOf(stored?.['url'] as string),
  },
}
