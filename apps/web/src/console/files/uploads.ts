/**
 * The uploads of this tab, one after the other. They go on while other screens are shown, and are told by whose files they become.
 * Closing the tab ends them: the browser asks first.
 */
import { useSyncExternalStore } from 'react'
import { api } from '../shell/api.ts'
import { faultText, isThere } from './fault-text.ts'
import { joined, parentOf } from './paths.ts'
import type { FileSource } from './source.ts'
import { uploadFile } from './upload-file.ts'

export type UploadState = 'waiting' | 'sending' | 'done' | 'failed' | 'exists'

export interface UploadItem {
  readonly key: number
  readonly source: FileSource
  readonly path: string
  readonly bytes: number
  readonly received: number
  readonly state: UploadState
  /** Why it failed. */
  readonly message: string | null
}

/** A file, and where below the folder it belongs. */
export interface Chosen {
  readonly file: File
  /** `images/a.png`; of a single file its name. */
  readonly under: string
}

interface Work {
  readonly file: File
  /** The folder that it was dropped in. */
  readonly base: string
  readonly replace: boolean
  begun: string | null
  stop: AbortController
}

let items: readonly UploadItem[] = []
const work = new Map<number, Work>()
const listeners = new Set<() => void>()
let last = 0
let isRunning = false
/** Folders that these uploads have made already; later ones look again. */
const made = new Set<string>()
/** Asked for when a folder has something new in it. */
let onPlaced: (id: string, folder: string) => void = () => {}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
function tell(next: readonly UploadItem[]): void {
  items = next
  for (const listener of listeners) listener()
}
const change = (key: number, changes: Partial<UploadItem>) =>
  tell(items.map(item => (item.key === key ? { ...item, ...changes } : item)))

export const useUploads = (id: string): readonly UploadItem[] =>
  useSyncExternalStore(subscribe, () => items).filter(({ source }) => source.id === id)

export function whenPlaced(told: typeof onPlaced): void {
  onPlaced = told
}

export function addUploads(source: FileSource, folder: string, chosen: readonly Chosen[]): void {
  const added = chosen.map(({ file, under }): UploadItem => {
    const key = ++last
    work.set(key, { file, base: folder, replace: false, begun: null, stop: new AbortController() })
    return {
      key,
      source,
      path: joined(folder, under),
      bytes: file.size,
      received: 0,
      state: 'waiting',
      message: null,
    }
  })
  tell([...items, ...added])
  void run()
}

/** Goes on where it was cut off; `replace`: over the file that is there. */
export function retryUpload(key: number, replace = false): void {
  const known = work.get(key)
  if (!known) return
  work.set(key, { ...known, replace: known.replace || replace, stop: new AbortController() })
  change(key, { state: 'waiting', message: null })
  void run()
}

/** Takes it from the list. What came of one that is not done is dropped. */
export function removeUpload(key: number): void {
  const known = work.get(key)
  const item = items.find(each => each.key === key)
  work.delete(key)
  tell(items.filter(each => each.key !== key))
  known?.stop.abort()
  // Left alone it ends by itself a day later.
  if (known?.begun && item?.state !== 'done') void api.files.dropUpload({ id: known.begun }).catch(() => {})
}

const warn = (event: BeforeUnloadEvent) => event.preventDefault()

async function run(): Promise<void> {
  if (isRunning) return
  isRunning = true
  addEventListener('beforeunload', warn)
  try {
    for (let item = next(); item; item = next()) await send(item)
  } finally {
    isRunning = false
    made.clear()
    removeEventListener('beforeunload', warn)
  }
}
const next = () => items.find(({ state }) => state === 'waiting')

async function send({ key, source, path }: UploadItem): Promise<void> {
  const known = work.get(key)!
  change(key, { state: 'sending' })
  try {
    if (!known.begun) await makeFolders(source, known.base, path)
    await uploadFile({
      source,
      path,
      replace: known.replace,
      file: known.file,
      begun: known.begun,
      signal: known.stop.signal,
      onBegun: id => {
        known.begun = id
      },
      onReceived: received => change(key, { received }),
    })
    change(key, { state: 'done', received: known.file.size })
    onPlaced(source.id, parentOf(path))
  } catch (error) {
    change(key, {
      state: isThere(error) ? 'exists' : 'failed',
      message:
        error instanceof DOMException
          ? 'This file can no longer be read on your computer.'
          : faultText(error),
    })
  }
}

/** Those of a folder that was chosen. What stands above them is on screen, so it is there. */
async function makeFolders({ kind, id }: FileSource, base: string, path: string): Promise<void> {
  for (let folder = base, rest = path.slice(joined(base, '').length).split('/'); rest.length > 1;) {
    folder = joined(folder, rest.shift()!)
    if (!made.has(`${id} ${folder}`)) await api[kind].makeFolder({ id, path: folder })
    made.add(`${id} ${folder}`)
  }
}
