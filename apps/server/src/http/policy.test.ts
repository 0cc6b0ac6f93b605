import { userRoles } from '@ingot/contracts/accounts'
import { api } from '@ingot/contracts/api'
import { type Operation, whos } from '@ingot/contracts/operation'
import { expect, test } from 'vitest'
import { mayCall, policy } from './policy.ts'
import { useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])

const may = (who: Operation['who'], key: boolean, role: (typeof userRoles)[number]) =>
  mayCall({ who }, { keyId: key ? 'a key' : null, role })

/** Written out by hand, so that a change of the table is a change of this. Columns: key, session; rows: role. */
const reading: Record<string, readonly [key: boolean, session: boolean]> = {
  'public user': [true, true],
  'public moderator': [true, true],
  'public admin': [true, true],
  'dev user': [true, true],
  'dev moderator': [true, true],
  'dev admin': [true, true],
  'user user': [true, true],
  'user moderator': [true, true],
  'user admin': [true, true],
  'session user': [false, true],
  'session moderator': [false, true],
  'session admin': [false, true],
  'staff user': [false, false],
  'staff moderator': [false, true],
  'staff admin': [false, true],
  'admin user': [false, false],
  'admin moderator': [false, false],
  'admin admin': [false, true],
}

const cells = whos.flatMap(who => userRoles.map(role => [who, role] as const))

test.each(cells)('%s × %s: as written here', (who, role) => {
  const [key, session] = reading[`${who} ${role}`]!
  expect([may(who, true, role), may(who, false, role)]).toEqual([key, session])
})

test('what is open to nobody in particular is open to all', () => {
  const open = whos.filter(who => policy[who].credentials.includes('none'))
  expect(open).toEqual(['public', 'dev'])
})

test('withdrawals, deletion, sessions and the key itself take no API key', () => {
  const sessionOnly = operations.filter(op => op.who === 'session').map(op => op.id)
  expect(sessionOnly).toEqual(
    expect.arrayContaining([
      'generate_api_key',
      'revealApiKey',
      'revokeApiKey',
      'endSession',
      'deleteAccount',
    ]),
  )
})

test('the published description says which calls take a key', async () => {
  const document = (await (await server.fetch('/v1/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; security?: Record<string, unknown>[] }>>
  }
  const described = Object.values(document.paths).flatMap(path => Object.values(path))
  for (const op of operations.filter(each => each.who !== 'dev')) {
    const schemes = described
      .find(each => each.operationId === op.id)!
      .security?.flatMap(scheme => Object.keys(scheme))
    expect([op.id, schemes]).toEqual([
      op.id,
      {
        public: undefined,
        user: ['session', 'apiKey'],
        session: ['session'],
        staff: ['session'],
        admin: ['session'],
      }[op.who as Exclude<Operation['who'], 'dev'>],
    ])
  }
})
