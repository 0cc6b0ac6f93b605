/** An earlier version of this product, from the repository's history: for what it leaves behind. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../..', import.meta.url))

/** The last commit whose newest migration is 0032. */
export const version0032 = 'c884f434f95dbcbea779a5857781b66e3760ecea'

/** False in a shallow clone, and where there is no repository at all. */
export const isInHistory = (commit: string): Promise<boolean> =>
  run('git', ['cat-file', '-e', `${commit}^{tree}`], { cwd: root }).then(
    () => true,
    () => false,
  )

/** Writes that commit's files into a folder, with the dependencies of this checkout and a web of its own. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'commit.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir(join(root, 'node_modules'))) {
    // Links to the packages of this repository are relative, so copied ones lead to those of the commit.
    if (name === '@ingot')
      await cp(join(root, 'node_modules', name), join(modules, name), {
        recursive: true,
        verbatimSymlinks: true,
      })
    else await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  await run(process.execPath, [join(modules, 'vite/bin/vite.js'), 'build', '--app'], {
    cwd: join(folder, 'apps/web'),
    env: { ...process.env, NODE_ENV: 'production' },
  })
}
