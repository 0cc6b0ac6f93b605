import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search-text.ts'

it('keeps digits and words that look like JSON as the text they are', () => {
  expect(parseSearch('?deploy=1&q=true&templateName=vLLM%20Inference')).toEqual({
    deploy: '1',
    q: 'true',
    templateName: 'vLLM Inference',
  })
  expect(stringifySearch({ deploy: '1', q: 'true' })).toBe('?deploy=1&q=true')
})

it('writes what it can read again', () => {
  const search = { next: '/console/instances?deploy=1&a=b', q: 'Ubuntu 22.04 + CUDA & "more"' }
  expect(parseSearch(stringifySearch(search))).toEqual(search)
})

it('leaves out what has no value', () => {
  expect(stringifySearch({ q: '', status: undefined })).toBe('')
})
