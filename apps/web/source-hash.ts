/**
 * One hash over every file the build reads, by path and content: the same source gives the same hash anywhere.
 * Run as a program it prints the hash of this checkout.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'

const inputs = [
  'src',
  'content',
  'public',
  'app.html',
  'vite.config.ts',
  'pages-plugin.ts',
  'build-web.ts',
  'render-pages.ts',
  'mdx-plugin.ts',
  'search-index.ts',
  'share-images.ts',
  'package.json',
]
const outside = [
  '../../packages/contracts/src',
  '../../packages/sdk/src',
  '../../packages/compute/src/simulated',
  '../../package-lock.json',
]

export async function sourceHash(root: string): Promise<string> {
  const files = (await Promise.all([...inputs, ...outside].map(input => list(resolve(root, input))))).flat()
  const hash = createHash('sha256')
  for (const file of files.filter(file => !/\.test\.tsx?$/.test(file)).toSorted())
    hash
      .update(`${relative(root, file)}\0`)
      .update(await readFile(file))
      .update('\0')
  return hash.digest('hex')
}

async function list(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return null
    throw error
  })
  return entries
    ? entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
    : [path]
}

if (import.meta.main) console.log(await sourceHash(import.meta.dirname))
