/**
 * What SFTP asks of a machine: most of it is the driver's `files`; what that has no call for (modes, times, sizes, links)
 * is a program of the machine's own, with the path as one argument. Nothing of a path is looked at here.
 */
import { posix } from 'node:path'
import type { Answer, Driver, FileEntry, FileFault } from '@ingot/compute/driver'
import ssh2, { type Attributes } from 'ssh2'

const { STATUS_CODE } = ssh2.utils.sftp

/** A request that is answered with a status. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
export const failure = (message: string) => new Refused(STATUS_CODE.FAILURE, message)

const statuses: Partial<Record<FileFault, number>> = {
  not_found: STATUS_CODE.NO_SUCH_FILE,
  no_access: STATUS_CODE.PERMISSION_DENIED,
}

/** Too many are using the machine's files at this moment. */
const busyRetryMs = [10, 30, 100, 300, 1_000, 2_000]

async function valueOf<T>(ask: () => Promise<Answer<T>>): Promise<T> {
  for (const pause of [...busyRetryMs, null]) {
    const answer = await ask()
    if (answer.kind === 'done') return answer.value
    if (answer.kind === 'failed' && answer.fault)
      throw new Refused(statuses[answer.fault] ?? STATUS_CODE.FAILURE, answer.message)
    if (pause === null || (answer.kind === 'failed' && answer.failure !== 'transient'))
      throw failure(answer.kind === 'failed' ? answer.message : 'The machine is not ready.')
    await new Promise(resolve => setTimeout(resolve, pause))
  }
  throw failure('The machine is not ready.')
}

const mostOutput = 16 * 1024
const programMs = 10_000

export type Machine = Awaited<ReturnType<typeof openMachine>>

/** Asks where paths begin that say nothing of it. */
export async function openMachine(driver: Driver, ref: string) {
  const files = driver.files(ref)

  async function run(command: readonly string[]): Promise<{ code: number | null; out: string }> {
    const execution = await valueOf(() => driver.exec(ref, { command }))
    const late = setTimeout(() => execution.close(), programMs)
    let out = ''
    execution.stdin.on('error', () => {}).end()
    execution.stdout.on('data', chunk => (out = `${out}${String(chunk)}`.slice(0, mostOutput)))
    for (const stream of [execution.stdout, execution.stderr]) stream.on('error', () => {}).resume()
    const end = await execution.ended
    clearTimeout(late)
    return { code: end?.code ?? null, out }
  }
  async function must(...command: readonly string[]): Promise<string> {
    const { code, out } = await run(command)
    if (code !== 0) throw failure(`${command[0]} failed in the machine.`)
    return out
  }

  const stat = (path: string) => valueOf(() => files.stat(path))
  const isFolder = (path: string) =>
    files
      .list(path, { limit: 1 })
      .then(answer => (answer.kind === 'done' ? answer.value.entries.length : null))
  const home = (await run(['sh', '-c', 'pwd'])).out.trim()

  return {
    resolve: (path: string): string => posix.resolve('/', home, path),
    stat,
    /** Follows a link at the end. */
    async statTarget(path: string): Promise<FileEntry> {
      const entry = await stat(path)
      if (entry.kind !== 'link') return entry
      if ((await isFolder(path)) !== null) return { ...entry, kind: 'folder', mode: 0o755 }
      const { entry: target, data } = await valueOf(() => files.read(path, { length: 0 }))
      data.on('error', () => {}).destroy()
      return target
    },
    list: (path: string, after?: string) =>
      valueOf(() => files.list(path, after === undefined ? {} : { after })),
    read: (path: string, from: number) => valueOf(() => files.read(path, { from })),
    /** Its answer comes when `data` has ended, so it is asked once. */
    write: files.write,
    async remove(path: string): Promise<void> {
      if ((await stat(path)).kind === 'folder') throw failure('This is a folder.')
      await valueOf(() => files.remove(path))
    },
    async removeFolder(path: string): Promise<void> {
      if ((await stat(path)).kind !== 'folder') throw failure('This is not a folder.')
      // Without -p and -r, and so never more than one that is empty.
      await must('rmdir', path)
    },
    async makeFolder(path: string): Promise<void> {
      const there = await files.stat(path)
      if (there.kind === 'done') throw failure('There is something of this name.')
      await valueOf(() => files.makeFolder(path))
    },
    rename: (path: string, to: string) => valueOf(() => files.rename(path, to)),
    readLink: (path: string) => must('readlink', '-n', path),
    link: (path: string, target: string) => must('ln', '-s', '--', target, path),
    async setAttributes(path: string, wanted: Partial<Attributes>): Promise<void> {
      const { size, mode, mtime, uid, gid } = wanted
      if (uid !== undefined || gid !== undefined)
        throw new Refused(STATUS_CODE.OP_UNSUPPORTED, 'Owners are not changed.')
      if (size !== undefined) await must('truncate', '-s', String(size), path)
      if (mode !== undefined) await must('chmod', (mode & 0o7777).toString(8), path)
      if (mtime !== undefined) await must('touch', '-m', '-d', `@${mtime}`, path)
    },
  }
}

const kindBits = { file: 0o100000, folder: 0o040000, link: 0o120000, other: 0o010000 } as const
const letters = { file: '-', folder: 'd', link: 'l', other: 'p' } as const

export function attributesOf({ kind, mode, bytes, modifiedAt }: FileEntry): Attributes {
  // 32 bits of seconds.
  const seconds = Math.min(Math.max(0, Math.floor(modifiedAt / 1000)), 0xffff_ffff)
  return {
    mode: kindBits[kind] | (mode & 0o7777),
    uid: 0,
    gid: 0,
    size: bytes,
    atime: seconds,
    mtime: seconds,
  }
}

/** As `ls -l` writes it: some clients show it, and some read it. */
export function lineOf({ name, kind, mode, bytes, modifiedAt }: FileEntry): string {
  const rights = [6, 3, 0]
    .map(shift =>
      ['r', 'w', 'x'].map((letter, at) => ((mode >> (shift + 2 - at)) & 1 ? letter : '-')).join(''),
    )
    .join('')
  const date = new Date(modifiedAt)
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) (\d+:\d+)/.exec(date.toUTCString()) ?? []
  const isRecent = Math.abs(Date.now() - modifiedAt) < 180 * 86_400_000
  const when = `${month} ${day} ${isRecent ? time : ` ${year}`}`
  return `${letters[kind]}${rights}    1 root     root     ${String(bytes).padStart(12)} ${when} ${name}`
}
