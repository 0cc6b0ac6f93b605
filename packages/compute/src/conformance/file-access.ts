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

/** The calls on one machine, as a test wants them: what is asked is done. */
export function openFiles({ asked, driver, value, within }: Subject, ref: Ref) {
  const files = () => driver().files(ref)
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
