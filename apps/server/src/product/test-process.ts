/** The product as a process of its own, as `npm start` runs it, for tests that kill it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@ingot/sdk/client'
import { freePort } from './testing/free-port.ts'
import { ownDriver } from './testing/own-driver.ts'

const thisMain = fileURLToPath(new URL('main.ts', import.meta.url))
const readyTimeoutMs = 60_000

export interface Product {
  readonly url: string
  /** Printed on the first start of a data folder. */
  readonly admin: { readonly email: string; readonly password: string } | null
  readonly pid: number
  output(): string
  /** Ctrl-C: drains. */
  stop(): Promise<number>
  /** SIGKILL: nothing of it runs after this resolves. PostgreSQL and sandboxes are processes of their own. */
  kill(): Promise<void>
}

export interface ProductOptions {
  readonly dir: string
  readonly env?: Readonly<Record<string, string>>
  /** Runs it through this command, such as `setpriv --reuid=65534`. */
  readonly through?: readonly string[]
  /** Another version's. */
  readonly main?: string
}

export function spawnProduct({ dir, env = {}, through = [], main = thisMain }: ProductOptions) {
  const [command, ...args] = [...through, process.execPath, main]
  // What this machine has besides decides nothing. Older versions know no name for all regions.
  const drivers = main === thisMain ? { INGOT_REGIONS: `*=${ownDriver}` } : {}
  const child = spawn(command!, args, {
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      NODE_NO_WARNINGS: '1',
      PORT: '0',
      // Many run at once.
      INGOT_SSH_PORT: 'off',
      INGOT_DATA_DIR: dir,
      ...drivers,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (output += String(chunk)))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { child, ended, output: () => output }
}

/** A data folder keeps its port: another is another origin, for which all pages would be rendered anew. */
const ports = new Map<string, string>()

export async function startProduct(options: ProductOptions): Promise<Product> {
  const port = ports.get(options.dir) ?? String(await freePort())
  ports.set(options.dir, port)
  const { child, ended, output } = spawnProduct({ ...options, env: { PORT: port, ...options.env } })
  const ready = /ready (?:at|for) (http:\/\/\S+)/
  const deadline = Date.now() + readyTimeoutMs
  while (!ready.test(output())) {
    const code = await Promise.race([
      ended.then(exit => ({ exit })),
      new Promise<null>(resolve => setTimeout(resolve, 20, null)),
    ])
    if (code || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`the product did not start:\n${output()}`)
    }
  }
  const admin = /e-mail\s+(\S+)\s+password\s+(\S+)/.exec(output())
  return {
    url: ready.exec(output())![1]!,
    admin: admin ? { email: admin[1]!, password: admin[2]! } : null,
    pid: child.pid!,
    output,
    async stop() {
      child.kill('SIGINT')
      return (await ended) ?? -1
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The embedded PostgreSQL of a data folder; it runs on when the product is killed. */
export function embeddedUrl(dir: string): string {
  const password = readFileSync(join(dir, 'postgres-password'), 'utf8').trim()
  return `postgres://ingot:${password}@/ingot?host=${encodeURIComponent(join(dir, 'run'))}`
}

/** Signs in by password, as the console does. */
export async function signIn(
  url: string,
  { email, password }: { email: string; password: string },
): Promise<Client> {
  const response = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`sign-in failed: ${await response.text()}`)
  const { access_token } = (await response.json()) as { access_token: string }
  return createClient({ baseUrl: url, token: () => access_token })
}
