/**
 * The data folder (`.ingot`). As root, PostgreSQL and the sandboxes run as unprivileged users, who must be able to
 * reach it: under a 0700 home such as /root they cannot, so the folder is then made under /var/lib/ingot and `.ingot`
 * points there.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, lstat, mkdir, realpath, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'

const stagingRoot = '/var/lib/ingot'
/** Others may pass through, not list. */
const passableMode = 0o711

/** Makes the folder if it is missing and returns its real path. Refuses with what to do about it. */
export async function prepareDataDir(dir: string): Promise<string> {
  try {
    if (process.getuid?.() === 0 && !(await isPassable(await nearestExisting(dir)))) await stageElsewhere(dir)
    await makeFolders(dir)
    const real = await realpath(dir)
    await access(real, constants.W_OK | constants.X_OK)
    if (process.getuid?.() === 0) await chmod(real, passableMode)
    return real
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(
      `the data folder ${dir} cannot be written (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). Make it writable, or set INGOT_DATA_DIR to another folder`,
    )
  }
}

/** One level at a time: `recursive` never returns where a file system pretends that a parent is missing (/proc). */
async function makeFolders(dir: string): Promise<void> {
  if (await stat(dir).catch(() => null)) return
  await makeFolders(dirname(dir))
  await mkdir(dir, { mode: passableMode })
}

async function nearestExisting(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => null)
    if (real) return real
  }
}

/** Whether an unprivileged user can walk down to it. */
export async function isPassable(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

async function stageElsewhere(dir: string): Promise<void> {
  const present = await lstat(dir).catch(() => null)
  if (present && !present.isSymbolicLink()) {
    throw new ConfigError(
      `${dir} lies under a folder that other users cannot enter, and PostgreSQL will not run as root. Move it away, or set INGOT_DATA_DIR to a folder such as ${stagingRoot}`,
    )
  }
  const target = join(stagingRoot, createHash('sha256').update(dir).digest('hex').slice(0, 16))
  await mkdir(target, { recursive: true, mode: passableMode })
  await chmod(stagingRoot, passableMode)
  if (present) await rm(dir)
  await mkdir(dirname(dir), { recursive: true })
  await symlink(target, dir)
}
