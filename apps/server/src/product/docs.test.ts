/**
 * What the public pages tell readers to type, typed. Blocks marked `run` go through a shell, Node or Python against a
 * started product; `checkout` through a shell in a checkout, with the Node of this machine; `instance` through the
 * terminal of an instance; `serve` starts a server of their own. The blocks of a page run in order, as somebody who
 * follows it would run them.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Client } from '@ingot/sdk/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInstanceShell } from '../../../../bench/shell.ts'
import { type Product, signIn, startProduct } from './test-process.ts'
import { freePort } from './testing/free-port.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const content = join(root, 'apps/web/content')
const run = promisify(execFile)
const readyMs = 120_000

interface Block {
  readonly language: string
  readonly marks: string
  readonly code: string
}

const pages = readdirSync(content, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.mdx'))
  .toSorted()
  .map(file => ({ file, blocks: blocksOf(readFileSync(join(content, file), 'utf8')) }))

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)\n```$/gm)].map(([, language, marks, code]) => ({
    language: language!,
    marks: marks!.replace(/"[^"]*"/g, ''),
    code: code!,
  }))
}

const marked = (mark: string, language?: string) => (block: Block) =>
  block.marks.split(/\s+/).includes(mark) && (language === undefined || block.language === language)
const withBlocks = (mark: string, language?: string) =>
  pages
    .map(({ file, blocks }) => ({ file, blocks: blocks.filter(marked(mark, language)) }))
    .filter(({ blocks }) => blocks.length > 0)

let dir: string
let product: Product
let client: Client
let env: Record<string, string>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-docs-'))
  await chmod(dir, 0o711)
  product = await startProduct({ dir, env: { INGOT_SSH_PORT: String(await freePort()) } })
  client = await signIn(product.url, product.admin!)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '100' })
  while (Number((await client.wallet.get()).balance_usd) === 0)
    await new Promise(resolve => setTimeout(resolve, 50))
  const { key_value } = await client.accounts.generateApiKey({ name: 'docs' })
  env = {
    PATH: process.env['PATH']!,
    HOME: dir,
    NODE_NO_WARNINGS: '1',
    INGOT_URL: product.url,
    INGOT_API_KEY: key_value,
    INGOT_EMAIL: product.admin!.email,
    INGOT_PASSWORD: product.admin!.password,
  }
}, readyMs)

afterAll(async () => {
  for (const { id } of (await client.instances.list({ limit: 100 })).items)
    await client.instances.delete({ id }).catch(() => {})
  while ((await client.instances.list()).items.length) await new Promise(resolve => setTimeout(resolve, 50))
  await product.stop()
  await rm(dir, { recursive: true, force: true })
}, readyMs)

test('there is something to run', () => {
  expect(withBlocks('run', 'bash').length).toBeGreaterThan(8)
  expect(withBlocks('instance').length).toBeGreaterThan(1)
  expect(withBlocks('checkout').map(({ file }) => file)).toContain('docs/sdk.mdx')
})

test('what begins like a command of a reader is run, or says why not', () => {
  const loose = pages.flatMap(({ file, blocks }) =>
    blocks
      .filter(({ language }) => language === 'bash')
      .filter(({ marks, code }) => !/\b(run|checkout|instance|serve)\b/.test(marks) && !isForEyes(code))
      .map(({ code }) => `${file}: ${code.split('\n')[0]}`),
  )
  expect(loose).toEqual([])
})

/** Settings with a secret left out, an endless stream, and what is planned. */
const isForEyes = (code: string): boolean =>
  code.startsWith('export INGOT_URL=') || code.startsWith('curl -N ') || code.startsWith('# Planned')

describe('in a shell', () => {
  test.each(withBlocks('run', 'bash'))('$file', { timeout: 60_000 }, async ({ blocks }) => {
    const script = blocks.map(block => block.code).join('\n')
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env, cwd: dir })
    for (const [, code] of stdout.matchAll(/\{"error":\{"code":"(\w+)"/g))
      expect(script, `${code}, which the page does not announce`).toContain(code)
  })
})

describe('in a checkout, with whatever Node the machine has', () => {
  /** A reader's: what the launchers and this runner put in front is not there. */
  const path = process.env['PATH']!.split(delimiter).filter(each => !each.includes('node_modules'))

  test.each(withBlocks('checkout', 'bash'))('$file', { timeout: 60_000 }, async ({ blocks }) => {
    const checkout = await mkdtemp(join(dir, 'checkout-'))
    await copyFile(join(root, 'package.json'), join(checkout, 'package.json'))
    // Its packages are links to those of this checkout, which are what a fresh one has.
    await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
    for (const { code } of blocks) {
      const options = { env: { ...env, PATH: path.join(delimiter) }, cwd: checkout }
      expect((await run('bash', ['-euo', 'pipefail', '-c', code], options)).stdout).not.toBe('')
    }
  })
})

describe('in Node, with the SDK', () => {
  test.each(withBlocks('run', 'javascript'))('$file', { timeout: 60_000 }, async ({ blocks }) => {
    for (const { code } of blocks) {
      const running = run(process.execPath, ['--input-type=module', '-e', code], { env, cwd: root })
      expect((await running).stdout).not.toBe('')
    }
  })
})

const hasRequests = await run('python3', ['-c', 'import requests']).then(
  () => true,
  () => false,
)
describe.skipIf(!hasRequests)('in Python, with requests', () => {
  test.each(withBlocks('run', 'python'))('$file', async ({ blocks }) => {
    for (const { code } of blocks)
      expect((await run('python3', ['-c', code], { env, cwd: dir })).stdout).not.toBe('')
  })
})

// A machine shows the host's programs: without Python on the host there is none inside.
describe.skipIf(!existsSync('/usr/bin/python3'))('in the terminal of an instance', () => {
  test.each(withBlocks('instance'))('$file', { timeout: 120_000 }, async ({ blocks }) => {
    const region = (await client.catalog.regions()).items.find(each => each.shell === 'real')
    if (!region) return expect(product.output()).toMatch(/no {3}(user namespaces|isolation)/)
    const { id } = await client.instances.create({
      name: 'docs',
      template_id: builtInTemplates[7]!.id,
      gpu_type: 'T4',
      gpu_count: 1,
      region: region.id,
      system_storage_gb: 40,
      data_storage_gb: 100,
      billing_period: 'hourly',
    })
    while ((await client.instances.get({ id })).status !== 'running')
      await new Promise(resolve => setTimeout(resolve, 20))
    const shell = await openInstanceShell(client, product.url, id, 'docs')
    for (const { code } of blocks) {
      shell.type(`${code}\n`)
      // The quotes keep the marker out of the echo of what is typed.
      shell.type('echo "en""ded-$?"\n')
      await expect(
        shell.waitFor('ended-0', 90_000),
        `this did not end well:\n${code}`,
      ).resolves.toBeGreaterThan(0)
    }
    shell.close()
    await client.instances.delete({ id })
  })
})

describe('as a server of one’s own', () => {
  test.each(withBlocks('serve'))('$file', { timeout: readyMs }, async ({ blocks }) => {
    for (const { code } of blocks) {
      const data = await mkdtemp(join(tmpdir(), 'ingot-docs-serve-'))
      await chmod(data, 0o711)
      const server = spawn('bash', ['-c', code], {
        cwd: root,
        detached: true,
        env: { ...process.env, PORT: String(await freePort()), INGOT_DATA_DIR: data },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [server.stdout, server.stderr]) stream.on('data', text => (output += String(text)))
      const ended = once(server, 'exit')
      await expect.poll(() => output, { timeout: readyMs, interval: 50 }).toContain('is ready at')
      if (code.includes('Middle-East=simulated')) expect(output).toContain('Middle-East (simulated)')
      process.kill(-server.pid!, 'SIGINT')
      await ended
      await rm(data, { recursive: true, force: true })
    }
  })
})
