/**
 * The public pages, rendered into the data folder by the renderer that the web's build ships. A rendering is a folder
 * named by everything it was made from; it gets that name when it is whole, so a kill leaves a whole one or none. What
 * is already there is not rendered again. A request reads one rendering from its first byte to its last.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Shown, WebBuild } from '@ingot/contracts/pages'
import type { Rendering, RenderTask } from './render-thread.ts'

export const webDist = fileURLToPath(new URL('../../../web/dist/', import.meta.url))
const thread = new URL('render-thread.ts', import.meta.url)

/** A rendering that is served. */
export interface Release extends Rendering {
  /** Its files. */
  readonly dir: string
}

export interface Pages {
  /** Null until something is shown. */
  current(): Release | null
  /** Renders unless exactly this is rendered already, then serves it. */
  show(shown: Shown): Promise<void>
}

/** Null: the web is not built. */
export async function readBuild(dist = webDist): Promise<WebBuild | null> {
  const text = await readFile(join(dist, 'manifest.json'), 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as WebBuild)
}

/** `dir` is this server's alone, as its data folder is. */
export function openPages({ dir, dist = webDist }: { readonly dir: string; readonly dist?: string }): Pages {
  let current: { readonly name: string; readonly release: Release } | null = null
  let last: Promise<void> = Promise.resolve()

  async function show(shown: Shown): Promise<void> {
    const build = await readBuild(dist)
    if (!build) return
    const name = await nameOf(build, shown)
    if (name === current?.name) return
    const made = (await readRelease(join(dir, name))) ?? (await make({ dist, dir, name, shown }))
    const former = current?.name
    current = { name, release: made }
    // What is being sent from the former one may still be opened.
    for (const other of await readdir(dir))
      if (other !== name && other !== former) await rm(join(dir, other), { recursive: true })
  }

  return {
    current: () => current?.release ?? null,
    show(shown) {
      const next = last.then(() => show(shown))
      last = next.catch(() => {})
      return next
    },
  }
}

/** Whatever changes a page changes this: the renderer and its words, how files are written, and what is shown. */
async function nameOf(build: WebBuild, shown: Shown): Promise<string> {
  const hash = createHash('sha256')
    .update(build.source)
    .update(await readFile(thread))
  return hash.update(JSON.stringify(shown)).digest('hex').slice(0, 32)
}

const listFile = 'pages.json'

async function readRelease(folder: string): Promise<Release | null> {
  const text = await readFile(join(folder, listFile), 'utf8').catch(() => null)
  return text === null ? null : { ...(JSON.parse(text) as Rendering), dir: join(folder, 'files') }
}

interface Making {
  readonly dist: string
  readonly dir: string
  readonly name: string
  readonly shown: Shown
}

async function make({ dist, dir, name, shown }: Making): Promise<Release> {
  const folder = join(dir, 'new')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const task: RenderTask = {
    dist,
    shown,
    version: name,
    files: join(folder, 'files'),
    list: join(folder, listFile),
  }
  // A thread: rendering takes half a second, which no request should wait for, and memory that is then given back.
  const worker = new Worker(thread, { workerData: task })
  await once(worker, 'exit')
  if (!(await readRelease(folder))) throw new Error('the renderer ended early')
  const to = join(dir, name)
  await rm(to, { recursive: true, force: true })
  await rename(folder, to)
  return (await readRelease(to))!
}
