import { createServer } from 'node:net'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../db/test-database.ts'
import { holdEmbeddedParts } from './embedded-parts.ts'
import { signIn, spawnProduct, startProduct } from './test-process.ts'

// Each test starts whole servers, some of them with a new database.
vi.setConfig({ testTimeout: 120_000 })

const isRoot = process.getuid?.() === 0
const allSimulated = {
  INGOT_REGIONS: ['US-East', 'US-West', 'EU-West', 'Asia-Pacific', 'Middle-East']
    .map(region => `${region}=simulated`)
    .join(','),
}

let base: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'ingot-main-'))
  await chmod(base, 0o755)
})
afterAll(() => rm(base, { recursive: true, force: true }))

/** Starts it, waits for its end, and answers what it said and how it ended. */
async function fails(
  env: Record<string, string>,
  dir = join(base, 'refused'),
): Promise<{ line: string; code: number | null }> {
  const { ended, output } = spawnProduct({ dir, env })
  const code = await ended
  const errors = output()
    .split('\n')
    .filter(line => line.startsWith('Ingot cannot start'))
  expect(errors, output()).toHaveLength(1)
  expect(output()).not.toMatch(/\n\s+at /)
  return { line: errors[0]!, code }
}

describe('what stops it from starting is one line that says what to do, and exit code 1', () => {
  test('the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { line, code } = await fails(
      { PORT: String(port), INGOT_HOST: '127.0.0.1', ...allSimulated },
      join(base, 'port'),
    )
    expect(line).toBe(
      `Ingot cannot start: port ${port} is taken. Stop what uses it, or start with another: PORT=${port + 1} npm start.`,
    )
    expect(code).toBe(1)
    other.close()
  })

  test.each([
    [
      'a database out of reach',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' },
      /DATABASE_URL cannot be reached .* unset it to use the embedded/,
    ],
    [
      'a database address that is none',
      { DATABASE_URL: 'mysql://x' },
      /DATABASE_URL does not start with postgres/,
    ],
    ['a port that is none', { PORT: 'eighty' }, /PORT is "eighty"\. Set it to a whole number/],
    [
      'a folder that cannot be written',
      { INGOT_DATA_DIR: '/proc/ingot' },
      /data folder \/proc\/ingot cannot be written .* set INGOT_DATA_DIR/,
    ],
    [
      'half a chain',
      { INGOT_TRON_ENDPOINT: 'https://api.example.com' },
      /needs both INGOT_TRON_ENDPOINT and INGOT_TRON_XPUB/,
    ],
    [
      'a private key in place of the public one',
      {
        INGOT_TRON_ENDPOINT: 'https://api.example.com',
        INGOT_TRON_XPUB:
          'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
      },
      /private key/,
    ],
    [
      'a role without what its servers share',
      { INGOT_ROLE: 'http' },
      /INGOT_ROLE=http needs a PostgreSQL that all servers share.* leave INGOT_ROLE out/,
    ],
    ['a region that does not exist', { INGOT_REGIONS: 'Moon=sandbox' }, /INGOT_REGIONS/],
    [
      'trust in whatever a client says of its address',
      { INGOT_TRUST_PROXY: 'true' },
      /INGOT_TRUST_PROXY is "true"\. Write the number of proxies/,
    ],
    [
      'a name that was mistyped',
      { INGOT_SMPT_URL: 'smtp://mail.example.com' },
      /INGOT_SMPT_URL is not a setting\. Did you mean INGOT_SMTP_URL\?/,
    ],
  ])('%s', async (_, env, expected) => {
    const { line, code } = await fails(env as unknown as Record<string, string>)
    expect(line).toMatch(expected)
    expect(line).not.toContain('xprv9s21')
    expect(code).toBe(1)
  })

  test('Node is too old', () => {
    const tools = new URL('../../../../tools/environment.mjs', import.meta.url).href
    const run = () =>
      execFileSync(
        process.execPath,
        ['-e', `import(${JSON.stringify(tools)}).then(tools => tools.assertNode('18.20.4'))`],
        { stdio: 'pipe' },
      )
    expect(run).toThrow(/Node 18\.20\.4 is too old\. Install Node 20\.19 or newer/)
  })
})

test('a first start prints an administrator once; a second is ready sooner, keeps everything, and refuses a third beside it', async () => {
  const dir = join(base, 'normal')
  const begun = Date.now()
  const first = await startProduct({ dir, env: allSimulated })
  const firstMs = Date.now() - begun
  expect(first.admin).not.toBeNull()
  const client = await signIn(first.url, first.admin!)
  expect(await client.accounts.userRole()).toEqual({ role: 'admin' })
  const { line } = await fails(allSimulated, dir)
  expect(line).toMatch(/another server \(process \d+\) already uses normal/)
  expect(await first.stop()).toBe(0)

  const began = Date.now()
  const second = await startProduct({ dir, env: allSimulated })
  expect(Date.now() - began).toBeLessThan(firstMs)
  expect(second.admin).toBeNull()
  await signIn(second.url, first.admin!)
  expect(await second.stop()).toBe(0)
})

test('what runs in one server alone is refused to a second one of the same database', async () => {
  const database = await createTestDatabase({ as: 'owner' })
  const env = { ...allSimulated, DATABASE_URL: database.url, INGOT_SECRET: 'shared' }
  const release = await holdEmbeddedParts(database.url)
  const { line } = await fails(env, join(base, 'one-of-two'))
  expect(line).toMatch(
    /another server of this database runs with INGOT_ROLE=both.* Stop it, or start this one/,
  )
  await release()
  await database.close()
})

test.runIf(isRoot)(
  'as root under a folder that others cannot enter, it works, and the data folder points to one they can',
  async () => {
    const home = join(base, 'home')
    await mkdir(home, { mode: 0o700 })
    const dir = join(home, '.ingot')
    const product = await startProduct({ dir, env: allSimulated })
    await signIn(product.url, product.admin!)
    expect((await lstat(dir)).isSymbolicLink()).toBe(true)
    const target = await readlink(dir)
    expect(target).toMatch(/^\/var\/lib\/ingot\//)
    expect(await product.stop()).toBe(0)
    await rm(target, { recursive: true })
  },
)

test.runIf(isRoot)('as an ordinary user it works, PostgreSQL included', async context => {
  const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups']
  const reads = spawnSync('setpriv', [...asNobody, 'test', '-r', import.meta.filename])
  if (reads.status !== 0) context.skip('this checkout is closed to other users')
  const dir = join(base, 'ordinary')
  await mkdir(dir)
  execFileSync('chown', ['65534:65534', dir])
  const product = await startProduct({
    dir,
    env: allSimulated,
    through: ['setpriv', ...asNobody],
  })
  await signIn(product.url, product.admin!)
  expect(await product.stop()).toBe(0)
})

test('what the environment says reaches the running server, and what it cannot use is named once', async () => {
  const product = await startProduct({
    dir: join(base, 'settings'),
    env: { ...allSimulated, INGOT_AUTH_MIN_PASSWORD_LENGTH: '12', INGOT_COLOUR: 'red' },
  })
  const call = (path: string, body?: object) =>
    fetch(`${product.url}/auth/v1${path}`, {
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
  expect(await (await call('/settings')).json()).toMatchObject({ password_min_length: 12 })
  const refused = await call('/signup', { email: 'ada@example.com', password: 'elevenchars' })
  expect([refused.status, await refused.json()]).toEqual([
    422,
    expect.objectContaining({ msg: 'Password should be at least 12 characters.' }),
  ])
  expect(await product.stop()).toBe(0)
  const named = (word: string) =>
    product
      .output()
      .split('\n')
      .filter(line => line.includes(word))
  expect(named('INGOT_COLOUR')).toHaveLength(1)
  // Both calls came as through a proxy.
  expect(named('INGOT_TRUST_PROXY')).toHaveLength(1)
})
