/** In nearly every part: they find nothing, and would be a tenth of the index. */
const common = new Set(
  'a an and are as at be by can do for from has have if in is it its not of on one or so than that the their then there they this to until what when where which who with you your'.split(
    ' ',
  ),
)

/** The same on both sides: the rendering writes the index, the browser reads it. */
export const searchOptions = {
  processTerm: (term: string) => {
    const word = term.toLowerCase()
    return common.has(word) ? null : word
  },
  fields: ['heading', 'page', 'text'],
  storeFields: ['url', 'page', 'heading', 'text'],
  searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const },
}
