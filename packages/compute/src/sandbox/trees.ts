/**
 * Removes what a customer has filled, or gives it to another uid: any depth, any mode. `rm` and `chown` walk by
 * descriptors, where a path can become too long for the kernel, and never follow a link; folders that their owner has
 * closed are opened first.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

const running = new Map<string, Promise<boolean>>()

/** One at a time for each tree: a call during another joins it. */
function once(path: string, work: () => Promise<boolean>): Promise<boolean> {
  const underway = running.get(path) ?? work().finally(() => running.delete(path))
  running.set(path, underway)
  return underway
}

/** True when nothing is left. */
export const removeTree = (path: string): Promise<boolean> => once(path, () => remove(path))

/** True when all of it is that uid's and gid's, and no program of it is set to run as another any more. */
export const ownTrees = (paths: readonly string[], uid: number): Promise<boolean> =>
  once(paths.join('\0'), () => run('chown', ['-hR', '-P', `${uid}:${uid}`, '--', ...paths]))

async function remove(path: string): Promise<boolean> {
  await run('rm', ['-rf', '--one-file-system', '--', path])
  if (!existsSync(path)) return true
  await run('chmod', ['-R', 'u+rwX', '--', path])
  await run('rm', ['-rf', '--one-file-system', '--', path])
  return !existsSync(path)
}

/** In a session of its own, so that it goes on when the control plane is interrupted. */
const run = (command: string, args: string[]): Promise<boolean> =>
  new Promise(resolve => {
    spawn(command, args, { stdio: 'ignore', detached: true })
      .on('error', () => resolve(false))
      .on('close', code => resolve(code === 0))
  })

/** Whether it was done by then; it goes on meanwhile. */
export async function withinMs(work: Promise<boolean>, ms: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => timeout.resolve(false), ms)
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer))
}
