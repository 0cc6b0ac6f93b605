import type { Volume } from '@ingot/contracts/volumes'
import { expect, it } from 'vitest'
import { bytesKept, caveatOf, formatStored, stateOf, usedText, whyNot } from './volume-text.ts'
import { barLength } from './UsedBar.tsx'

const gib = 2 ** 30
const volume = {
  name: 'data',
  size_gb: 50,
  status: 'available',
  status_message: null,
  growing: false,
  used_bytes: 0,
  instance: null,
  lapsed_at: null,
  deletes_at: null,
  created_at: '2026-11-24T09:00:00.000Z',
  enforces_size: true,
  attaches_while_running: false,
  grows_while_running: false,
  quiesce: 'stopped',
  hardware: 'real',
} as unknown as Volume
const having = (status: string): Partial<Volume> => ({
  status: 'in-use',
  instance: { id: 'i', name: 'train', status, path: '/volumes/data' },
})
const now = new Date('2026-11-24T09:00:18.000Z')

it.each([
  [{ status: 'creating' }, 'Creating', '18s'],
  [{}, 'Available', null],
  [having('running'), 'In use', null],
  [
    { lapsed_at: '2026-11-24T08:00:00.000Z', deletes_at: '2026-12-01T08:00:00.000Z' },
    'Read-only',
    'deleted in 6d 22h',
  ],
  [{ status: 'deleting', lapsed_at: '2026-11-24T08:00:00.000Z' }, 'Deleting', null],
] as const)('a state is a word and what goes with it: %j', (change, word, detail) =>
  expect(stateOf({ ...volume, ...change } as Volume, now)).toMatchObject({ word, detail }),
)

it.each([
  [0, '0'],
  [1, 'under 0.1'],
  [6.44 * gib, '6.4'],
  [312.4 * gib, '312'],
  [1749 * gib, '1,749'],
])('%d bytes are told in the unit that sizes are sold in: %s', (bytes, text) =>
  expect(formatStored(Math.round(bytes))).toBe(text),
)

it('says the percent from 90 on, and never more than is there', () => {
  const of = (used_bytes: number | null) => usedText({ used_bytes, size_gb: 1000 })
  expect(of(899 * gib)).toBe('899 of 1,000 GB')
  expect(of(941.9 * gib)).toBe('942 of 1,000 GB, 94%')
  expect(of(1200 * gib)).toBe('1,200 of 1,000 GB, 100%')
  expect(of(null)).toBe('1,000 GB')
})

it('prices a snapshot by what is used, and by the whole size where nobody measures', () => {
  expect(bytesKept({ used_bytes: 7, size_gb: 50 })).toBe(7n)
  expect(bytesKept({ used_bytes: null, size_gb: 50 })).toBe(50n * 2n ** 30n)
})

it.each([
  ['attach', {}, null],
  ['attach', having('stopped'), 'Volume must be available to attach to an instance'],
  ['detach', {}, 'Volume is not currently attached to an instance'],
  ['detach', having('stopped'), null],
  ['detach', having('running'), /while its instance is stopped. Stop train first/],
  ['detach', { ...having('running'), attaches_while_running: true }, null],
  [
    'detach',
    { ...having('starting'), attaches_while_running: true },
    'train is starting. Wait until it has ended that.',
  ],
  ['snapshot', { status: 'creating' }, 'Cannot create snapshot while volume is being created or deleted'],
  ['snapshot', having('running'), /Stop train/],
  ['snapshot', { ...having('running'), quiesce: 'frozen' }, null],
  ['grow', { growing: true }, /being made 50 GB large/],
  ['grow', { size_gb: 5000 }, /largest/],
  ['rename', having('running'), /mounted by its name/],
  ['rename', having('stopped'), null],
  ['attach', { lapsed_at: '2026-11-24T08:00:00.000Z' }, /not paid/],
] as const)('%s of %j: %s', (act, change, reason) => {
  const said = whyNot(act, { ...volume, ...change } as Volume)
  if (reason === null) expect(said).toBeNull()
  else expect(said).toMatch(reason)
})

it('says what is not enforced, and what is not real', () => {
  expect(caveatOf(volume)).toBeNull()
  expect(caveatOf({ ...volume, enforces_size: false })).toMatch(/not enforced in this region/)
  expect(caveatOf({ ...volume, hardware: 'simulated', enforces_size: false })).toMatch(
    /^Simulated: .*more than 50 GB/,
  )
})

it('draws bars to one scale, and none too short to be read', () => {
  expect([1000, 500, 250, 10].map(gb => barLength(gb, 1000))).toEqual([150, 75, 38, 24])
})
