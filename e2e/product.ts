/** The product as `npm start` serves it, on a data folder of its own, and what a test may look up beside the browser. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'
import { openEngine } from '@ingot/compute/docker/engine'
import { startEngine, type TestEngine, testImage } from '@ingot/compute/docker/testing/engine'
import { builtInTemplates } from '@ingot/contracts/templates'
import { type Client, createClient } from '@ingot/sdk/client'
import { freePort } from '../apps/server/src/product/testing/free-port.ts'
import { ownDriver } from '../apps/server/src/product/testing/own-driver.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readyTimeoutMs = 120_000

export interface Product {
  readonly url: string
  readonly admin: { readonly email: string; readonly password: string }
  /** The links of the newest mail to an address. */
  linksTo(email: string): Promise<string[]>
  /** Moves the business clock on. */
  advance(ms: number): Promise<void>
  /** The API as somebody signed in by password. */
  clientOf(account: { readonly email: string; readonly password: string }): Promise<Client>
}

interface WorkerFixtures {
  readonly product: Product
  /** Set by a test: its instances are containers on an engine of its own, and are sold in US-East alone. */
  readonly onEngine: boolean
  /** Set by a test: all regions are simulated, and one machine fills them. */
  readonly isSmall: boolean
  /** Set by a test: variables of the environment. */
  readonly settings: Record<string, string>
}

export const test = base.extend<object, WorkerFixtures>({
  onEngine: [false, { option: true, scope: 'worker' }],
  isSmall: [false, { option: true, scope: 'worker' }],
  settings: [{}, { option: true, scope: 'worker' }],
  product: [
    async ({ onEngine, isSmall, settings }, use) => {
      const engine = onEngine ? await startEngine() : null
      if (engine) await nameImages(engine)
      const { product, stop } = await start({
        ...(engine ? regionsOn(engine) : isSmall ? oneMachine : {}),
        ...settings,
      })
      await use(product)
      await stop()
      await engine?.discard()
    },
    { scope: 'worker', timeout: readyTimeoutMs },
  ],
  baseURL: async ({ product }, use) => use(product.url),
})
export { expect } from '@playwright/test'

/** There is no registry: the engine has one small image, under the names of all templates. */
async function nameImages({ address }: TestEngine): Promise<void> {
  const image = openEngine({ address }).calls.getImage(testImage)
  for (const { docker_image } of builtInTemplates) {
    const [repo, tag] = docker_image.split(':')
    await image.tag({ repo: repo!, tag: tag! })
  }
}

const regionsOn = ({ address }: TestEngine) => ({
  INGOT_DRIVERS: `docker:here=${address}`,
  INGOT_REGIONS: `US-East=docker:here,*=${ownDriver}`,
})

const oneMachine = { INGOT_REGIONS: '*=simulated', INGOT_MAX_SIMULATED: '1' }

async function start(
  settings: Record<string, string>,
): Promise<{ product: Product; stop: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-e2e-'))
  await chmod(dir, 0o711)
  const port = await freePort()
  const child = spawn(process.execPath, ['tools/start.mjs'], {
    cwd: root,
    // What this machine has besides decides nothing.
    env: {
      ...process.env,
      INGOT_REGIONS: `*=${ownDriver}`,
      INGOT_WITHDRAWALS: 'on',
      ...settings,
      PORT: String(port),
      INGOT_SSH_PORT: String(await freePort()),
      INGOT_DATA_DIR: dir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  for (
    const end = Date.now() + readyTimeoutMs;
    !output.includes('is ready at');
    await new Promise(resolve => setTimeout(resolve, 50))
  ) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`the product did not start:\n${output}`)
  }
  const url = `http://localhost:${port}`
  const [, email, password] = /e-mail\s+(\S+)\s+password\s+(\S+)/.exec(output)!
  const anybody = createClient({ baseUrl: url })
  const product: Product = {
    url,
    admin: { email: email!, password: password! },
    linksTo: async to => (await anybody.dev.mail()).items.find(mail => mail.to === to)?.links ?? [],
    advance: async ms => void (await anybody.dev.clock({ advance_ms: ms })),
    async clientOf(account) {
      const response = await fetch(`${url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      })
      const { access_token } = (await response.json()) as { access_token: string }
      return createClient({ baseUrl: url, token: () => access_token })
    },
  }
  const stop = async () => {
    child.kill('SIGINT')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(dir, { recursive: true, force: true })
  }
  return { product, stop }
}
