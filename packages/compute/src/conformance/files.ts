/**
 * The part of the suite about a machine's files: what was written is what is read, by the calls and by programs in the
 * machine alike, while it runs and while it is stopped.
 */
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { maxListed } from '../driver.ts'
import { base, byBytes, home, namesOf, openFiles, pages, rejectedFor } from './file-access.ts'
import { describeFileCalls } from './file-calls.ts'
import { describePaths } from './file-paths.ts'
import type { Subject } from './subject.ts'

export function describeFiles(subject: Subject): void {
  const { asked, create, destroy, driver, needRealShell, ran, running, value, within } = subject

  describe('files', () => {
    const machine = subject.useMachine()
    const on = () => openFiles(subject, machine())
    const sh = (script: string) => ran(machine(), ['sh', '-c', script])
    beforeAll(async () => {
      await on().makeFolder(base)
      await on().write(`${base}/file`, 'content')
    }, subject.patienceMs)

    describeFileCalls(subject, { on, base })

    it('2,500 names come in pages of 1,000', async context => {
      needRealShell(context)
      await sh(`mkdir ${base}/many && cd ${base}/many && seq 2500 | xargs touch`)
      const all = await pages(on().files(), `${base}/many`)
      expect(all.map(names => names.length)).toEqual([maxListed, maxListed, 500])
      expect(all.flat()).toEqual(Array.from({ length: 2_500 }, (_, at) => String(at + 1)).toSorted(byBytes))
      const more = await asked(() => on().files().list(`${base}/many`, { limit: 1_000_000 }))
      if (more.kind === 'done') expect(more.value.entries.length).toBeLessThanOrEqual(maxListed)
      else expect(more).toMatchObject({ kind: 'failed', failure: 'rejected' })
    })

    it('they are there while it is stopped, at its next start and under a new driver, and go with it', async () => {
      const ref = await running()
      const { write, read, list, files, fault } = openFiles(subject, ref)
      await write(`${home}/while-running`, 'one')
      await value(() => driver().stop(ref))
      expect((await read(`${home}/while-running`)).toString()).toBe('one')
      await write(`${home}/while-stopped`, 'two')
      await value(() => files().rename(`${home}/while-stopped`, `${home}/renamed`))
      expect(namesOf(await list(home))).toEqual(expect.arrayContaining(['renamed', 'while-running']))
      await subject.reopen()
      await value(() => driver().start(ref))
      expect((await read(`${home}/renamed`)).toString()).toBe('two')
      if (driver().capabilities.shell === 'real')
        expect((await ran(ref, ['cat', `${home}/renamed`])).stdout).toBe('two')
      await destroy(ref)
      expect(await fault(files => files.read(`${home}/renamed`))).toMatchObject({ failure: 'lost' })
      const fresh = await create()
      expect(await openFiles(subject, fresh).fault(files => files.read(`${home}/renamed`))).toMatchObject(
        rejectedFor('not_found'),
      )
      await destroy(fresh)
    })

    it('programs in the machine see the same files', async context => {
      needRealShell(context)
      const { write, read, stat } = on()
      await write(`${base}/by-call`, 'by a call')
      expect((await ran(machine(), ['cat', `${base}/by-call`])).stdout).toBe('by a call')
      await sh(
        `printf 'by a program' > ${base}/by-program; chmod 750 ${base}/by-program; echo more >> ${base}/by-call`,
      )
      expect((await read(`${base}/by-program`)).toString()).toBe('by a program')
      expect(await stat(`${base}/by-program`)).toMatchObject({ mode: 0o750, bytes: 12 })
      expect(Math.abs((await stat(`${base}/by-program`)).modifiedAt - Date.now())).toBeLessThan(60_000)
      expect((await read(`${base}/by-call`)).toString()).toBe('by a callmore\n')
    })

    it('a file that grows ends where it ended when it was opened', async context => {
      needRealShell(context)
      const { write, files } = on()
      const size = 8_000_000
      await write(`${base}/grows`, Buffer.alloc(size, 'a'))
      const { entry, data } = await value(() => files().read(`${base}/grows`))
      await sh(`head -c ${size} /dev/zero >> ${base}/grows`)
      expect([entry.bytes, (await within(buffer(data), 'its end')).length]).toEqual([size, size])
    })

    describePaths(subject, machine)
  })
}
