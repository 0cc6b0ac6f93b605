/** The calls on a machine's files as the suite uses them. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Answer, FileEntry, FileFault, MachineFiles, Ref } from '../driver.ts'
import type { Subject } from './subject.ts'

/** A folder that stays over a stop. */
export const home = '/root'
/** What the tests of one machine share. There is a file in it, called so. */
export const base = `${home}/conformance`

export type FilesCall = (files: MachineFiles) => Promise<Answer<unknown>>

export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
export const rejectedFor = (fault: FileFault) => ({ kind: 'failed', failure: 'rejected', fault })
export const namesOf = (entries: readonly FileEntry[]): string[] => entries.map(({ name }) => name)

export type OpenFiles = ReturnType<typeof openFilesOf>

/** The calls on one machine, as a test wants them: what is asked is done. */
export const openFiles = (subject: Subject, ref: Ref): OpenFiles =>
  openFilesOf(subject, () => subject.driver().files(ref))

export function openFilesOf({ asked, value, within }: Subject, files: () => MachineFiles) {
  return {
    files,
    write: (path: string, data: string | Buffer, from?: number) =>
      value(() => files().write(path, Readable.from([Buffer.from(data)]), { from })),
    async read(path: string, range?: { from?: number; length?: number }): Promise<Buffer> {
      const { data } = await value(() => files().read(path, range))
      return within(buffer(data), `the end of ${path}`)
    },
    stat: (path: string) => value(() => files().stat(path)),
    async list(path: string): Promise<readonly FileEntry[]> {
      return (await value(() => files().list(path))).entries
    },
    makeFolder: (path: string) => value(() => files().makeFolder(path)),
    /** Answers which fault a call has. */
    fault: (call: FilesCall) => asked(() => call(files())),
  }
}

/** The names of all pages. */
export async function pages(files: MachineFiles, path: string, limit?: number): Promise<string[][]> {
  const found: string[][] = []
  for (let after: string | undefined; ; after = found.at(-1)!.at(-1)) {
    const answer = await files.list(path, { after, limit })
    if (answer.kind !== 'done') throw new Error(JSON.stringify(answer))
    found.push(namesOf(answer.value.entries))
    if (!answer.value.hasMore) return found
  }
}
