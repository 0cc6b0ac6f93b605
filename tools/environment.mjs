/**
 * What the launchers share. They run on whatever Node the machine has, with nothing installed, so this file uses no
 * dependency and no TypeScript: it installs the dependencies when they are missing or stale, then the pinned Node 24
 * that came with them runs everything else.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const bin = join(root, 'node_modules/.bin')
const oldestNode = [20, 19]

export function fail(message) {
  console.error(`Ingot cannot start: ${message}`)
  process.exit(1)
}

export function assertNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return
  fail(`Node ${version} is too old. Install Node ${oldestNode.join('.')} or newer: https://nodejs.org`)
}

/** Node 24: the one from npm on Linux, else the one that runs this if it is new enough. */
export function pinnedNode() {
  const path = join(bin, 'node')
  if (existsSync(path)) return path
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return fail(
    `no Node 24 comes from npm for ${process.platform}-${process.arch}. Install Node 24: https://nodejs.org`,
  )
}

/** `npm ci` when node_modules does not belong to this package-lock.json. */
export async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(root, 'node_modules/.ingot-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.log('Installing dependencies …')
  const started = Date.now()
  const code = await run('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (code !== 0) fail('npm ci failed; its reason stands above. Check the network and try again')
  writeFileSync(stamp, lock)
  console.log(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s`)
}

/** Builds the web when its sources have changed since the last build. */
export async function buildWeb() {
  const manifest = join(root, 'apps/web/dist/manifest.json')
  let source = ''
  await run(pinnedNode(), [join(root, 'apps/web/source-hash.ts')], { onOutput: text => (source += text) })
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).source === source.trim()) return
  console.log('Building the web …')
  const started = Date.now()
  let output = ''
  const code = await run(pinnedNode(), [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--app'], {
    cwd: join(root, 'apps/web'),
    onOutput: text => (output += text),
    // Set here, whatever starts it: a test runner's own NODE_ENV would make a development build.
    env: { ...environment(), NODE_ENV: 'production' },
  })
  if (code !== 0) {
    console.error(output)
    fail('the web could not be built; the reason stands above')
  }
  console.log(`Web built in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

/** Environment for children: the pinned Node first, also for what they spawn by name. */
export const environment = () => ({
  ...process.env,
  PATH: `${bin}:${process.env.PATH}`,
  NODE_NO_WARNINGS: '1',
})

/** Runs to the end and answers the exit code; signals to this process reach the child through its process group. */
export function run(command, args, { cwd = root, stdio, onOutput, env = environment() } = {}) {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : (stdio ?? 'inherit'),
    })
    child.stdout?.on('data', chunk => onOutput?.(String(chunk)))
    child.stderr?.on('data', chunk => onOutput?.(String(chunk)))
    child.once('error', error => {
      console.error(error.message)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(signal ? 128 : code))
  })
}

/** Runs the server in the foreground: Ctrl-C in a terminal reaches it by itself, a signal to this process is passed on. */
export function serve(args, env) {
  const child = spawn(pinnedNode(), args, { cwd: root, env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends SIGINT to the whole group; only what was sent to us alone needs passing on, and twice does no harm.
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
    })
  }
  child.once('exit', code => process.exit(code ?? 1))
}
