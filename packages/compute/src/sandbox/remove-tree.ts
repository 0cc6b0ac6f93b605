/**
 * Removes what a customer has filled: any depth, any mode. `rm` walks by descriptors, where a path can become too long
 * for the kernel, and never follows a link; folders that their owner has closed are opened first.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

const running = new Map<string, Promise<boolean>>()

/** True when nothing is left. A call during a removal joins that removal. */
export function removeTree(path: string): Promise<boolean> {
  const removal = running.get(path) ?? remove(path).finally(() => running.delete(path))
  running.set(path, removal)
  return removal
}

async function remove(path: string): Promise<boolean> {
  await run('rm', ['-rf', '--one-file-system', '--', path])
  if (!existsSync(path)) return true
  await run('chmod', ['-R', 'u+rwX', '--', path])
  await run('rm', ['-rf', '--one-file-system', '--', path])
  return !existsSync(path)
}

/** In a session of its own, so that it goes on when the control plane is interrupted. */
const run = (command: string, args: string[]): Promise<void> =>
  new Promise(resolve => {
    spawn(command, args, { stdio: 'ignore', detached: true })
      .on('error', () => resolve())
      .on('close', () => resolve())
  })
