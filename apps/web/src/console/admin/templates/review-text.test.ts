import type { ReviewEntry } from '@ingot/contracts/admin/template-reviews'
import { expect, test } from 'vitest'
import { linesOf } from './review-text.ts'

const proposed: ReviewEntry['proposed'] = {
  name: 'Serve',
  description: '',
  category: 'LLM',
  docker_image: 'a/b:2',
  env: { B: '2', A: '1' },
  secret_names: [],
  ports: [8000],
  start_command: null,
  disk_gb: null,
  readme: '',
}
const entry = { proposed, published: null, status: 'pending' } as unknown as ReviewEntry

test('a first version shows what it has, a later one what it changes, removals included', () => {
  expect(linesOf(entry).map(({ name }) => name)).toEqual(['Name', 'Category', 'Image', 'Variables', 'Ports'])
  const published = { ...proposed, docker_image: 'a/b:1', start_command: 'serve' }
  const lines = linesOf({ ...entry, published })
  expect(lines.filter(({ before }) => before !== null)).toEqual([
    { name: 'Image', text: 'a/b:2', before: 'a/b:1' },
    { name: 'Start command', text: '', before: 'serve' },
  ])
  expect(lines.find(({ name }) => name === 'Variables')!.text).toBe('A=1\nB=2')
})

test('what was decided is shown by itself: what is public now may be a later one', () => {
  expect(linesOf({ ...entry, status: 'rejected', published: { ...proposed, name: 'Other' } })[0]).toEqual({
    name: 'Name',
    text: 'Serve',
    before: null,
  })
})
