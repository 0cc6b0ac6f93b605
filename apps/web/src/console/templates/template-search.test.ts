import { builtInTemplates, type Template } from '@ingot/contracts/templates'
import { expect, it } from 'vitest'
import { filterTemplates } from './template-filter.ts'
import { deploySearch, readTemplateSearch } from './template-search.ts'

const templates: Template[] = builtInTemplates.map(each => ({
  ...each,
  is_public: true,
  visibility: 'public',
  is_community: false,
  created_at: '2026-11-21T00:00:00.000Z',
}))
const names = (address: Record<string, string>) => {
  const { search, category } = readTemplateSearch(address)
  return filterTemplates(templates, search, category).map(each => each.name)
}

it('finds by name, purpose and content, within the category', () => {
  expect(names({ search: 'pytorch' })).toEqual(['PyTorch 2.0'])
  expect(names({ search: 'openai-compatible' })).toEqual(['vLLM Inference', 'Text Generation WebUI'])
  expect(names({ search: 'openai-compatible', category: 'Base OS' })).toEqual([])
})

it('finds words in any order, as the picker of the deploy dialog does', () => {
  expect(names({ search: 'keras cuda' })).toEqual(['TensorFlow 2.13'])
  expect(names({ search: 'cuda keras' })).toEqual(['TensorFlow 2.13'])
})

it('shows all for a category it does not know', () => {
  expect(names({ category: 'Games' })).toHaveLength(templates.length)
})

it('tells the deploy screen what the specification names', () => {
  expect(Object.keys(deploySearch(templates[0]!))).toEqual([
    'templateId',
    'templateName',
    'templateDescription',
    'templateCategory',
  ])
})
