/** What the address holds: search text, category, and the template whose details are open, with the key of a shared one. */
import { type Template, templateCategories } from '@ingot/contracts/templates'
import { readOne, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export interface TemplateFilter {
  readonly search: string
  readonly category: Template['category'] | undefined
  readonly view: string | undefined
  readonly key: string | undefined
}

export const readTemplateSearch = (search: SearchText): TemplateFilter => ({
  search: readSearchText(search),
  category: readOne(templateCategories, search['category']),
  view: search['view'],
  key: search['key'],
})

/** What the deploy screen is told. */
export const deploySearch = ({ id, name, description, category }: Template) => ({
  templateId: id,
  templateName: name,
  templateDescription: description,
  templateCategory: category,
})

/** Of one that somebody else shares, also by what. */
export const sharedSearch = (template: Template, key: string | undefined) => ({
  ...deploySearch(template),
  ...(key && { templateKey: key }),
})
