import { builtInTemplates, type Template, type TemplateCategory } from '@ingot/contracts/templates'
import { expect, test } from 'vitest'
import { filterTemplates } from './template-filter.ts'

const all: Template[] = builtInTemplates.map(template => ({
  ...template,
  is_public: true,
  visibility: 'public',
  is_community: false,
  created_at: '2026-11-20T00:00:00Z',
}))
const names = (text: string, category?: TemplateCategory) =>
  filterTemplates(all, text, category).map(template => template.name)

test('popular templates come first, the rest stay in order', () => {
  expect(names('')).toHaveLength(8)
  expect(names('').slice(0, 4)).toEqual([
    'PyTorch 2.0',
    'Automatic1111 WebUI',
    'vLLM Inference',
    'TensorFlow 2.13',
  ])
})

test('every word must be found, in name, description or features', () => {
  expect(names('webui')).toEqual(['Automatic1111 WebUI', 'Text Generation WebUI'])
  expect(names('CUDA keras')).toEqual(['TensorFlow 2.13'])
  expect(names('keras unheard')).toEqual([])
})

test('a category narrows what the words found', () => {
  expect(names('webui', 'LLM')).toEqual(['Text Generation WebUI'])
})
