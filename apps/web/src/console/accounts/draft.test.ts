import { expect, it } from 'vitest'
import { changesOf } from './draft.ts'

it('keeps what differs, and forgets an edit that was taken back', () => {
  const saved = { first_name: 'Ada', company: '', minutes: 60 }
  expect(changesOf(saved, {})).toEqual({})
  expect(changesOf(saved, { first_name: 'Ada', company: 'AE' })).toEqual({ company: 'AE' })
  expect(changesOf({ ...saved, company: 'AE' }, { company: 'AE' })).toEqual({})
})
