/** What holds for files wherever they are: on a machine's own disk, or on a volume. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { FileFault } from '../driver.ts'
import { byBytes, type FilesCall, namesOf, type OpenFiles, pages, rejectedFor } from './file-access.ts'
import type { Subject } from './subject.ts'

export interface FilesPlace {
  readonly on: () => OpenFiles
  /** A folder for the tests, with a file in it that is called so. */
  readonly base: string
}

const oddNames = [
  'é',
  '日本',
  '😀',
  '～',
  ' a b ',
  'a\nb',
  '-rf',
  '*',
  '~',
  '$HOME',
  "it's",
  '…',
  'a'.repeat(255),
]

export function describeFileCalls({ value, patienceMs }: Subject, { on, base }: FilesPlace): void {
  it('what was written is read, told of and listed; written again, nothing of the old is left', async () => {
    const { write, read, stat, list, makeFolder, files } = on()
    const folder = `${base}/written`
    await makeFolder(folder)
    await makeFolder(folder)
    const path = `${folder}/file`
    const content = randomBytes(1_000_000)
    expect(await write(path, content)).toEqual({ bytes: content.length })
    expect(content.equals(await read(path))).toBe(true)
    const entry = await stat(path)
    expect(entry).toMatchObject({ name: 'file', kind: 'file', bytes: content.length })
    expect(entry.modifiedAt).toBeGreaterThan(0)
    expect(entry.mode & ~0o7777).toBe(0)
    const opened = await value(() => files().read(path))
    opened.data.destroy()
    expect(opened.entry).toEqual(entry)
    expect(await list(folder)).toEqual([entry])
    expect(await stat(folder)).toMatchObject({ name: 'written', kind: 'folder' })
    expect(await stat('/')).toMatchObject({ kind: 'folder' })

    for (const text of ['short', '']) {
      expect(await write(path, text)).toEqual({ bytes: text.length })
      expect((await read(path)).toString()).toBe(text)
    }
    expect((await stat(path)).modifiedAt).toBeGreaterThanOrEqual(entry.modifiedAt)
    expect(namesOf(await list(folder))).toEqual(['file'])
  })

  it('a range is read and written, where the file ends as well', async () => {
    const { write, read } = on()
    const path = `${base}/ranges`
    await write(path, '0123456789')
    const ranges = [
      [{ from: 3 }, '3456789'],
      [{ length: 4 }, '0123'],
      [{ from: 3, length: 4 }, '3456'],
      [{ from: 8, length: 40 }, '89'],
      [{ from: 10 }, ''],
      [{ from: 1_000_000 }, ''],
      [{ from: 2, length: 0 }, ''],
    ] as const
    for (const [range, text] of ranges) expect((await read(path, range)).toString()).toBe(text)
    expect(await write(path, 'abc', 2)).toEqual({ bytes: 10 })
    expect(await write(path, 'XYZ', 9)).toEqual({ bytes: 12 })
    expect((await read(path)).toString()).toBe('01abc5678XYZ')
    expect(await write(path, 'end', 15)).toEqual({ bytes: 18 })
    expect((await read(path)).toString()).toBe('01abc5678XYZ\0\0\0end')
  })

  it('names of every kind come back as they are, in the order of their bytes', async () => {
    const { write, read, stat, list, makeFolder, files } = on()
    const folder = `${base}/odd names`
    await makeFolder(folder)
    for (const name of oddNames) await write(`${folder}/${name}`, name)
    expect(namesOf(await list(folder))).toEqual(oddNames.toSorted(byBytes))
    for (const name of oddNames) {
      expect((await read(`${folder}/${name}`)).toString()).toBe(name)
      expect(await stat(`${folder}/${name}`)).toMatchObject({ name, bytes: Buffer.byteLength(name) })
      await value(() => files().remove(`${folder}/${name}`))
    }
    expect(await list(folder)).toEqual([])
  })

  it('a folder is listed page by page, each name once', async () => {
    const { write, makeFolder, files } = on()
    const folder = `${base}/pages`
    await makeFolder(folder)
    const names = Array.from({ length: 25 }, (_, at) => `file ${at}`).toSorted(byBytes)
    for (const name of names) await write(`${folder}/${name}`, '')
    expect(await pages(files(), folder, 10)).toEqual([
      names.slice(0, 10),
      names.slice(10, 20),
      names.slice(20),
    ])
    expect(await pages(files(), folder, 25)).toEqual([names])
    const from = await value(() => files().list(folder, { after: 'file 2', limit: 2 }))
    expect([namesOf(from.entries), from.hasMore]).toEqual([['file 20', 'file 21'], true])
    const behind = await value(() => files().list(folder, { after: 'file 99' }))
    expect(behind).toEqual({ entries: [], hasMore: false })
  })

  it('renaming moves a file or a folder, never over another, and removing takes all that is in it', async () => {
    const { write, read, makeFolder, fault, files } = on()
    const [folder, other] = [`${base}/folder`, `${base}/other`]
    await makeFolder(folder)
    await write(`${folder}/file`, 'moved')
    await value(() => files().rename(folder, other))
    await value(() => files().rename(`${other}/file`, `${other}/renamed`))
    expect((await read(`${other}/renamed`)).toString()).toBe('moved')
    await makeFolder(folder)
    await write(`${folder}/taken`, 'kept')
    for (const to of [`${folder}/taken`, folder, `${base}/file`])
      expect(await fault(files => files.rename(`${other}/renamed`, to)), to).toMatchObject(
        rejectedFor('exists'),
      )
    expect(await fault(files => files.rename(other, folder))).toMatchObject(rejectedFor('exists'))
    expect((await read(`${folder}/taken`)).toString()).toBe('kept')
    expect(await fault(files => files.rename(other, `${other}/inside`))).toMatchObject({
      failure: 'rejected',
    })
    for (const path of [other, folder, `${base}/never there`, folder]) await value(() => files().remove(path))
    expect(await fault(files => files.stat(`${other}/renamed`))).toMatchObject(rejectedFor('not_found'))
    expect(await fault(files => files.stat(folder))).toMatchObject(rejectedFor('not_found'))
  })

  it('says what is wrong with a request', async () => {
    const { fault } = on()
    const [file, none] = [`${base}/file`, `${base}/none`]
    const data = () => Readable.from(['x'])
    const wrong: readonly [FileFault, FilesCall][] = [
      ['not_found', files => files.list(none)],
      ['not_found', files => files.stat(none)],
      ['not_found', files => files.read(none)],
      ['not_found', files => files.rename(none, `${none}2`)],
      ['not_found', files => files.write(`${none}/a`, data())],
      ['not_found', files => files.makeFolder(`${none}/a`)],
      ['not_found', files => files.rename(file, `${none}/a`)],
      ['exists', files => files.makeFolder(file)],
      ['not_a_folder', files => files.list(file)],
      ['not_a_folder', files => files.stat(`${file}/a`)],
      ['not_a_folder', files => files.read(`${file}/a`)],
      ['not_a_folder', files => files.write(`${file}/a`, data())],
      ['not_a_folder', files => files.makeFolder(`${file}/a`)],
      ['not_a_file', files => files.read(base)],
      ['not_a_file', files => files.write(base, data())],
      ['not_a_file', files => files.write(base, data(), { from: 0 })],
    ]
    for (const [expected, call] of wrong)
      expect(await fault(call), String(call)).toMatchObject(rejectedFor(expected))
  })

  it('a replacement is whole or does not happen, and leaves nothing beside it', async () => {
    const { write, read, list, makeFolder, fault } = on()
    const folder = `${base}/whole`
    await makeFolder(folder)
    await write(`${folder}/file`, 'before')
    const breaks = () =>
      Readable.from(
        (function* () {
          yield Buffer.alloc(300_000, 'x')
          throw new Error('the sender has gone')
        })(),
      )
    for (const name of ['file', 'new'])
      expect(await fault(files => files.write(`${folder}/${name}`, breaks()))).toMatchObject({
        kind: 'failed',
      })
    expect((await read(`${folder}/file`)).toString()).toBe('before')
    await expect.poll(async () => namesOf(await list(folder)), { timeout: patienceMs }).toEqual(['file'])
    expect(await fault(files => files.write(`${folder}/file`, breaks(), { from: 3 }))).toMatchObject({
      kind: 'failed',
    })
    expect((await read(`${folder}/file`)).toString()).toMatch(/^bef(ore|x+)$/)
  })

  it('eight are read and written at once, and one that is left half read holds up none', async () => {
    const { write, read, files } = on()
    const left = await value(() => files().read(`${base}/file`))
    left.data.destroy()
    const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(50_000))
    await Promise.all(texts.map((text, at) => write(`${base}/at-once-${at}`, text)))
    const back = await Promise.all(texts.map((_, at) => read(`${base}/at-once-${at}`)))
    expect(back.map(String)).toEqual(texts)
  })
}
