/** Renders the public pages into a folder, each with a compressed copy, and lists them last. Its thread ends with it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
import { brotliCompressSync, constants } from 'node:zlib'
import type { PagesManifest, Renderer, Shown, WebBuild } from '@ingot/contracts/pages'

export interface RenderTask {
  readonly dist: string
  readonly shown: Shown
  readonly version: string
  readonly files: string
  readonly list: string
}

export interface Rendering extends PagesManifest {
  /** Names of all files, without the compressed copies. */
  readonly files: readonly string[]
}

/** A fifth of the time that the best would take, for a tenth more bytes; of the index, which is one large file, that tenth. */
const quality = (name: string) => (name === 'search.json' ? 10 : 7)

const { dist, shown, version, files, list } = workerData as RenderTask
const { assets } = JSON.parse(await readFile(join(dist, 'manifest.json'), 'utf8')) as WebBuild
const renderer = (await import(pathToFileURL(join(dist, 'render/render.js')).href)) as Renderer
const { files: contents, ...manifest } = await renderer.renderPages(shown, { assets, version })

// Reached by the disk before the folder gets its name: a power cut must not leave a name without its bytes.
const put = (file: string, content: string | Buffer) => writeFile(file, content, { flush: true })
await Promise.all(
  Object.entries(contents).map(async ([name, text]) => {
    const file = join(files, name)
    await mkdir(dirname(file), { recursive: true })
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality(name) }
    await Promise.all([put(file, text), put(`${file}.br`, brotliCompressSync(text, { params }))])
  }),
)
const rendering: Rendering = { ...manifest, files: Object.keys(contents) }
await put(list, JSON.stringify(rendering))
