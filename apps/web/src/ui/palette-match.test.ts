import { expect, it } from 'vitest'
import { matchGroups } from './palette-match.ts'

const groups = [
  {
    heading: 'Pages',
    items: [
      { id: 'page 1', label: 'Templates' },
      { id: 'page 2', label: 'Settings' },
    ],
  },
  {
    heading: 'Instances',
    items: [
      { id: '01a1fc41-28', label: 'whisper ingest', keywords: ['T4'] },
      { id: '01a1fc41-29', label: 'llama-ft-07', keywords: ['A40'] },
    ],
  },
  {
    heading: 'Actions',
    items: [
      { id: 'add', label: 'Add funds', keywords: ['deposit', 'usdt'] },
      { id: 'dark', label: 'Theme: dark' },
    ],
  },
]
const found = (typed: string) =>
  matchGroups(groups, typed).flatMap(group => group.items.map(item => item.label))

it.each([
  ['add f', ['Add funds']],
  ['llama', ['llama-ft-07']],
  ['07', ['llama-ft-07']],
  ['theme dark', ['Theme: dark']],
  ['USDT', ['Add funds']],
  ['01a1fc41-29', ['llama-ft-07']],
  ['a40', ['llama-ft-07']],
  ['sing', []],
])('%j finds %j', (typed, labels) => expect(found(typed)).toEqual(labels))

it('puts the group with the better match first', () => {
  expect(matchGroups(groups, 'ing').map(group => group.heading)).toEqual(['Instances', 'Pages'])
})

it('leaves everything in its place while nothing is typed', () =>
  expect(matchGroups(groups, ' ')).toBe(groups))
