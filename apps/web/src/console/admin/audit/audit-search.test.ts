import { expect, it } from 'vitest'
import { operationOptions, readAuditSearch, wantedOf } from './audit-search.ts'

it('an address becomes what is asked for, and the last day counts whole', () =>
  expect(
    wantedOf(
      readAuditSearch({
        search: ' left ',
        customer: ' ada@example.com',
        kind: 'account',
        from: '2026-11-01',
        to: '2026-11-02',
        entry: '7',
      }),
    ),
  ).toEqual({
    search: 'left',
    actor: undefined,
    customer: 'ada@example.com',
    operation: undefined,
    subject_kind: 'account',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-03T00:00:00.000Z',
  }))

it('what is no day is none', () =>
  expect(readAuditSearch({ from: 'yesterday', to: '2026-13-45' })).toMatchObject({
    from: undefined,
    to: undefined,
  }))

it('a call that no list knows can be the one that is chosen', () => {
  expect(operationOptions('POST /auth/v1/admin/users').map(each => each.value)).toContain(
    'POST /auth/v1/admin/users',
  )
  expect(operationOptions(undefined).map(each => each.value)).not.toContain('POST /auth/v1/admin/users')
})
