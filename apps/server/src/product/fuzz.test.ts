/**
 * Calls with inputs of every kind, made from the contract's schemas and from what is known to break servers. Nothing that
 * somebody sends may be answered with a 5xx. A failure prints the seed: `INGOT_FUZZ_SEED` runs it again.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { api } from '@ingot/contracts/api'
import { inputSchemas, type JsonSchema } from '@ingot/contracts/json-schema'
import { type Operation, pathKeys } from '@ingot/contracts/operation'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { a40, pytorch } from '../instances/test-rows.ts'
import { type TestUser, useTestServer } from './test-server.ts'

const long = process.env['INGOT_LONG_TESTS'] !== undefined
const seed = Number(process.env['INGOT_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const atOnce = 8
/** A call that takes longer hangs. */
const longestMs = 20_000

const server = useTestServer()
const db = () => server.services.database.kysely
const stranger = '01980000-0000-7000-8000-0000000000ff'

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent without saying who calls. */
  readonly nobody?: boolean
}

const list = (text: string) => text.split('|')
/** Texts that PostgreSQL, JSON, a pattern, a path or a page may trip over. */
const nastyTexts = [
  // What PostgreSQL and JSON refuse.
  ...list(
    '| |\0|a\0b|\ud800|a\udfff|\u2028|\ufeff|\u202e|\r\nX: y|\\|{{|null|undefined|__proto__|constructor',
  ),
  // What a path, a page, a query or a browser may take for its own.
  ...list("'; --|%|%00|%5|../../etc/passwd|http://[::1|//evil.example|javascript:alert(1)|<img src=x>"),
  // Numbers, times, ids and cursors that are nearly right.
  ...list('-1|0|-0|1e400|0x10|1.000000001|١٢٣|NaN|infinity|1-1|99999999999999999999-1|9999999999999999999'),
  ...list('2026-02-30T00:00:00.000Z|9999-12-31T23:59:59.999Z|-271821-04-20T00:00:00.000Z|0000-00-00'),
  ...[stranger.toUpperCase(), `${stranger}|${stranger}`, `infinity|${stranger}`].concat('-'.repeat(36)),
  // The Kelvin sign, an address too short, and texts too long.
  ...list('\u212a@example.com|a@b').concat('é'.repeat(300), '9'.repeat(400), 'x'.repeat(70_000)),
]
const nastyText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nastyTexts) },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)),
    }),
  },
  { weight: 1, arbitrary: fc.string() },
)
const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: nastyText },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      null,
      true,
      0,
      -0,
      -1,
      0.1,
      1e-7,
      2 ** 31,
      2 ** 53,
      1e308,
      [],
      {},
      [null],
      [[]],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ noUnicodeString: false }) },
  { weight: 1, arbitrary: fc.constant(JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)) },
)

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 11, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })

/** What a field of this name usually holds, so that many calls get past their validation. */
const usual: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(Object.entries(a40()).map(([name, value]) => [name, [value]])),
  template_id: [pytorch, stranger],
  gpu_type: ['A40', 'H100', 'RTX 4090'],
  email: ['fuzz@example.com'],
  password: ['correct horse battery'],
  phone: ['+15550100001'],
  amount_usdt: ['25'],
  confirm: ['DELETE'],
  hourly_cost: ['0.750000'],
}

function usualValue(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (usual[name]) return fc.constantFrom(...usual[name])
  const options = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined
  if (options) return fc.oneof(...options.map(option => usualValue('', option)))
  if (schema['const'] !== undefined) return fc.constant(schema['const'])
  if (schema['enum']) return fc.constantFrom(...(schema['enum'] as unknown[]))
  const [least, most] = [schema['minimum'], schema['maximum']] as (number | undefined)[]
  switch (schema['type']) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: least ?? 0, max: Math.min(most ?? 1_000, 1_000_000) })
    case 'array':
      return fc.array(usualValue('', schema['items'] as JsonSchema), { maxLength: 3 })
    case 'object':
      return inputOf(schema)
    default:
      return schema['format'] === 'uuid'
        ? fc.constant(stranger)
        : fc.constantFrom('fuzz', 'x'.repeat(64), 'Zoë 👩🏽‍💻')
  }
}

/** An object of the schema's fields: mostly as they should be, some absent, some nasty, some unknown. */
function inputOf(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
    const value = fc.oneof(
      { weight: 5, arbitrary: usualValue(name, inner) },
      { weight: 3, arbitrary: nastyValue },
    )
    const required = schema.required?.includes(name)
    return fc.option(value, { nil: undefined, freq: required ? 12 : 2 }).map(each => [name, each] as const)
  })
  const unknown = rarely(fc.tuple(nastyText, nastyValue))
  return fc
    .tuple(fc.tuple(...fields), unknown)
    .map(([known, extra]) => Object.fromEntries(extra ? [...known, extra] : known))
}

const rowIds = ['{mine}', '{mine}', '{mine}', stranger]
const ports = fc.constantFrom('8888', '8888', '8889', '0', 'x')
const idempotency = rarely(fc.constantFrom('one', 'ÿ', ' ', 'k'.repeat(201)))

function callOf(op: Operation): fc.Arbitrary<Call> {
  const { querystring, body } = inputSchemas(op)
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...rowIds) },
    { weight: 1, arbitrary: nastyText.map(escapeText) },
  )
  const fields = querystring?.properties ?? {}
  return fc
    .record({
      ids: fc.tuple(...pathKeys(op.path).map(key => (key === 'port' ? ports : id))),
      rest: inputOf(body ?? querystring ?? {}),
      key: idempotency,
    })
    .map(({ ids, rest: given, key }) => {
      const rest = {
        ...given,
        ...('timeout_s' in fields && shortWait(given)),
        ...('follow' in fields && noFollow(given)),
      }
      const left = [...ids]
      const path = op.path.replace(/\{\w+\}/g, () => left.shift()!)
      return {
        method: op.method,
        path: body ? path : path + queryOf(rest),
        ...(body ? { body: JSON.stringify(rest) } : {}),
        ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      }
    })
}

/** A call that is asked to wait, or to go on, is no call that hangs. */
const shortWait = ({ timeout_s = 1 }: Record<string, unknown>) => ({
  timeout_s: typeof timeout_s === 'number' ? Math.min(timeout_s, 1) : timeout_s,
})
const noFollow = ({ follow }: Record<string, unknown>) => (follow === true ? { follow: false } : {})

function queryOf(fields: Record<string, unknown>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return `?${given.map(pair => pair.map(each => escapeText(asText(each))).join('=')).join('&')}`
}
const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
/** Percent-encoded, half surrogates too: as the bytes that an old client would send. */
const escapeText = (text: string) =>
  encodeURIComponent(text.toWellFormed().slice(0, 2_000)).replaceAll('%EF%BF%BD', '%ED%A0%80')

/** Sends each to the server as `user`, at once; a caller who has signed out or deleted themself is replaced. */
let user: TestUser | null = null
let mine = stranger
/** Calls that did what they ask for. */
let done = 0
async function caller(): Promise<TestUser> {
  if (user) return user
  user = await server.user('1000')
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  mine = (await user.client.instances.create(a40({ start: false, ports: [8888] }))).id
  await user.client.accounts.generateApiKey({ name: 'fuzz' })
  return user
}

/** Answers that blame the server. */
async function failuresOf(calls: readonly Call[]): Promise<string[]> {
  const { token } = await caller()
  const failures: string[] = []
  const answers = await Promise.all(
    calls.map(async call => {
      const response = await server.fetch(call.path.replaceAll('{mine}', mine), {
        ...call,
        ...(call.nobody ? {} : { token }),
        redirect: 'manual',
        signal: AbortSignal.timeout(longestMs),
      })
      const text = await response.text()
      if (response.status >= 500)
        failures.push(`${JSON.stringify(call).slice(0, 2_000)} answered ${response.status}: ${text}`)
      if (response.ok) done++
      return response.status
    }),
  )
  if (answers.includes(401)) user = null
  if (answers.includes(429)) await sql`truncate auth_bucket, site_sent`.execute(server.owner)
  return failures
}

const options = (calls: number) => ({ numRuns: Math.ceil(calls / atOnce), seed, endOnFailure: true })
const limit = { timeout: 15 * 60_000 }

describe('no input is answered with a 5xx', () => {
  test('of an operation of the contract', limit, async () => {
    // What is refused in maintenance is refused with a 503, by intent.
    const operations = Object.values(api)
      .flatMap(noun => Object.values(noun) as Operation[])
      .filter(({ id }) => id !== 'setMaintenance')
    const call = fc.oneof(...operations.map(callOf))
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: atOnce, maxLength: atOnce }), async calls => {
        expect(await failuresOf(calls)).toEqual([])
      }),
      options(long ? 20_000 : 10_000),
    )
    // Inputs that never get past validation would show nothing.
    expect(done).toBeGreaterThan(2_000)
  })

  test('of a call of the auth service', limit, async () => {
    const { paths, fields } = authVocabulary()
    expect(paths.length).toBeGreaterThan(30)
    expect(fields.length).toBeGreaterThan(25)
    const value = (name: string) =>
      fc.oneof({ weight: 3, arbitrary: usualValue(name, {}) }, { weight: 2, arbitrary: nastyValue })
    const input = fc
      .uniqueArray(fc.constantFrom(...fields), { maxLength: 6 })
      .chain(names => fc.tuple(...names.map(name => value(name).map(each => [name, each] as const))))
      .map(pairs => Object.fromEntries(pairs) as Record<string, unknown>)
    const method = fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'DELETE')
    const call = fc
      .record({ path: fc.constantFrom(...paths), method, sent: input, nobody: fc.boolean(), id: nastyText })
      .map(({ path, method: by, sent, nobody, id }) => ({
        method: by,
        path: `/auth/v1${path.replace(/:\w+/g, escapeText(id) || 'x')}${by === 'GET' ? queryOf(sent) : ''}`,
        ...(by === 'GET' ? {} : { body: JSON.stringify(sent) }),
        nobody,
      }))
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: atOnce, maxLength: atOnce }), async calls => {
        expect(await failuresOf(calls)).toEqual([])
      }),
      options(long ? 5_000 : 1_600),
    )
  })
})

/** The paths of the auth service and the fields that it reads, as its source names them. */
function authVocabulary() {
  const folder = new URL('../auth/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'),
  )
  const read = (wanted: readonly string[]) =>
    wanted.map(file => readFileSync(new URL(file, folder), 'utf8')).join('\n')
  const paths = read(files.filter(file => file.endsWith('routes.ts'))).matchAll(/'(\/[a-z.][\w/:.-]*)'/g)
  const grants = ['password', 'refresh_token', 'pkce', 'id_token', 'x'].map(
    type => `/token?grant_type=${type}`,
  )
  const fields = read(files).matchAll(/\b(?:text|texts|flag|object|has)\('(\w+)'/g)
  return {
    paths: [...new Set([...paths].map(([, path]) => path!)), ...grants],
    fields: [...new Set([...fields].map(([, name]) => name!))],
  }
}
