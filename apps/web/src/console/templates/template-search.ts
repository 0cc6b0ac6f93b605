/** What the address holds: search text, category, and the template whose details are open. */
import { type Template, templateCategories } from '@ingot/contracts/templates'
import { readOne, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export interface TemplateFilter {
  readonly search: string
  readonly category: Template['category'] | undefined
  readonly view: string | undefined
}

export const readTemplateSearch = (search: SearchText): TemplateFilter => ({
  search: readSearchText(search),
  category: readOne(templateCategories, search['category']),
  view: search['view'],
})

/** What the deploy screen is told. */
export const deploySearch = ({ id, name, description, category }: Template) => ({
  templateId: id,
  templateName: name,
  templateDescription: description,
  templateCategory: category,
})
