/** Runs test files once more as an ordinary user, in a process of its own. */
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { designsHere, isRoot, newDir } from './sandbox.ts'

const uid = 61_234
const asUser = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
const repository = join(import.meta.dirname, '../../../../..')

export interface UserRun {
  readonly code: number | null
  readonly printed: string
}

/** Starts at once. Answers why it can't, as a string, else its outcome. */
export function runAsUser(names: readonly string[]): string | Promise<UserRun> {
  if (!isRoot) return 'this already is an ordinary user'
  if (designsHere.length === 0) return 'no design works here'
  const files = names.map(name => `packages/compute/src/sandbox/${name}.test.ts`)
  if (spawnSync('setpriv', [...asUser, 'test', '-r', join(repository, files[0]!)]).status !== 0)
    return 'an ordinary user can’t read this checkout'
  const home = newDir()
  chownSync(home, uid, uid)
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  // The usual way to load its settings writes beside them.
  const run = ['run', '--configLoader', 'runner', '--project', 'unit', '--reporter', 'dot', ...files]
  const child = spawn('setpriv', [...asUser, process.execPath, vitest, ...run], {
    cwd: repository,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, INGOT_CRASHES: '3' },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      printed += String(chunk)
    })
  return new Promise(resolve => {
    child.on('close', code => {
      rmSync(home, { recursive: true, force: true })
      resolve({ code, printed })
    })
  })
}
