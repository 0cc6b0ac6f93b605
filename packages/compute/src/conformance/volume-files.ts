/** The part about a volume's files: all that holds for files, with a machine and without one, and nothing leads out. */
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ref } from '../driver.ts'
import { openFilesOf, namesOf, rejectedFor } from './file-access.ts'
import { describeFileCalls } from './file-calls.ts'
import { notPaths } from './file-paths.ts'
import type { VolumeSubject } from './volume-subject.ts'

const base = '/conformance'

export function describeFilesOfOne(subject: VolumeSubject): void {
  const { makeVolume, settled, store } = subject

  describe('files of a volume that no machine has', () => {
    let ref: Ref = ''
    const on = () => openFilesOf(subject, () => store().files(ref))
    beforeAll(async () => {
      ref = await makeVolume()
      await on().makeFolder(base)
      await on().write(`${base}/file`, 'content')
    }, subject.patienceMs)
    afterAll(() => settled(() => store().destroy(ref)).then(() => undefined), subject.patienceMs)

    describeFileCalls(subject, { on, base })

    it('the top is the volume’s own, and no path leads above it', async () => {
      const { list, read, stat, fault } = on()
      expect(namesOf(await list('/'))).toContain('conformance')
      expect(await stat('/')).toMatchObject({ name: '/', kind: 'folder' })
      for (const path of ['/..', '/../..', `${base}/../../..`])
        expect(namesOf(await list(path)), path).toEqual(namesOf(await list('/')))
      expect((await read(`/../..${base}/./../conformance/file`)).toString()).toBe('content')
      for (const path of [
        '/etc/passwd',
        '/../../etc/passwd',
        '/proc/self/environ',
        '/proc/1/root/etc/passwd',
      ])
        expect(await fault(files => files.read(path)), path).toMatchObject(rejectedFor('not_found'))
      for (const path of notPaths)
        expect(await fault(files => files.read(path)), JSON.stringify(path).slice(0, 20)).toMatchObject(
          rejectedFor('bad_path'),
        )
      for (const path of ['/', '/..', '/.'])
        expect(await fault(files => files.remove(path)), path).toMatchObject({ failure: 'rejected' })
      expect((await read(`${base}/file`)).toString()).toBe('content')
    })
  })
}

export function describeVolumeFiles(subject: VolumeSubject): void {
  const { asked, driver, makeVolume, mounted, runningWith, settled, store, value, write } = subject
  const filesOf = (ref: Ref) => openFilesOf(subject, () => store().files(ref))

  describe('files of a volume', () => {
    it('are the same with a machine and without one, and what either wrote the other reads and changes', async () => {
      const ref = await makeVolume()
      const { read, write: put, list } = filesOf(ref)
      await put('/early', 'before any machine')
      const machine = await runningWith(mounted(ref))
      expect(await subject.read(machine, '/volumes/data/early')).toBe('before any machine')
      await write(machine, '/volumes/data/early', 'changed inside')
      await write(machine, '/volumes/data/inside', 'made inside')
      expect((await read('/early')).toString()).toBe('changed inside')
      await put('/inside', 'changed outside')
      expect(await subject.read(machine, '/volumes/data/inside')).toBe('changed outside')
      await value(() => driver().destroy(machine))
      expect(namesOf(await list('/')).filter(name => name !== 'lost+found')).toEqual(['early', 'inside'])
      expect((await read('/inside')).toString()).toBe('changed outside')
      await subject.reopen()
      expect((await read('/inside')).toString()).toBe('changed outside')
    })

    it('links and what is no file lead nowhere', async context => {
      subject.needRealShell(context)
      const ref = await makeVolume()
      const machine = await runningWith(mounted(ref))
      await subject.ran(machine, [
        'sh',
        '-c',
        [
          'cd /volumes/data; mkdir real; echo in > real/file; ln -s real dir; ln -s real/file link',
          'ln -s /etc/passwd out; ln -s ../../../../etc/passwd up; ln -s / root; ln -s /proc/self self',
          'ln -s /tmp/new made; ln -s loop loop; mkfifo fifo',
        ].join('\n'),
      ])
      const { read, stat, list, fault, files } = filesOf(ref)
      const outside = async (state: string) => {
        expect((await read('/link')).toString(), state).toBe('in\n')
        expect((await read('/dir/file')).toString(), state).toBe('in\n')
        expect(namesOf(await list('/dir')), state).toEqual(['file'])
        expect(await stat('/out'), state).toMatchObject({ kind: 'link' })
        for (const path of ['/out', '/up', '/root', '/root/etc/passwd', '/self/environ', '/loop', '/fifo'])
          for (const call of [
            () => files().read(path),
            () => files().list(path),
            () => files().write(path, Readable.from(['x'])),
            () => files().write(path, Readable.from(['x']), { from: 0 }),
          ])
            expect(await asked<unknown>(call), `${state} ${path} ${call}`).toMatchObject({
              failure: 'rejected',
            })
        for (const path of ['/root/etc', '/root/tmp/new', '/self/cwd']) {
          expect(await fault(each => each.stat(path)), path).toMatchObject({ failure: 'rejected' })
          expect(await fault(each => each.makeFolder(path)), path).toMatchObject({ failure: 'rejected' })
          expect(await fault(each => each.remove(path)), path).toMatchObject({ failure: 'rejected' })
          expect(await fault(each => each.rename('/real/file', path)), path).toMatchObject({
            failure: 'rejected',
          })
        }
        expect(await fault(each => each.write('/made', Readable.from(['x']))), state).toMatchObject({
          failure: 'rejected',
        })
      }
      await outside('with a machine')
      await value(() => driver().destroy(machine))
      await outside('without one')
      for (const path of ['/root', '/out', '/fifo']) await value(() => files().remove(path))
    })

    it('what is being written is kept whole over the start and the stop of a machine', async () => {
      const ref = await makeVolume()
      const data = new PassThrough()
      data.write('first half, ')
      const written = store().files(ref).write('/upload', data)
      const machine = await runningWith(mounted(ref))
      expect(await settled(() => driver().files(machine).stat('/volumes/data/upload'))).toMatchObject({
        fault: 'not_found',
      })
      await value(() => driver().stop(machine))
      data.end('second half')
      expect(await written).toEqual({ kind: 'done', value: { bytes: 23 } })
      expect((await filesOf(ref).read('/upload')).toString()).toBe('first half, second half')
      // Nobody is in the middle of a file any more.
      await value(() => store().grow(ref, 2))
      expect((await filesOf(ref).read('/upload')).toString()).toBe('first half, second half')
    })

    it('no more is written than its size holds', async context => {
      if (!store().capabilities.enforcesSize)
        return context.skip('this store does not hold a volume to its size')
      const ref = await makeVolume()
      const machine = await runningWith(mounted(ref))
      // Full but for 8 MiB.
      const fill = 'fallocate -l 900M large; dd if=/dev/zero of=rest bs=1M 2>/dev/null; truncate -s -8M rest'
      await subject.ran(machine, ['sh', '-c', `cd /volumes/data; ${fill}`])
      await value(() => driver().destroy(machine))
      const { fault, write: put } = filesOf(ref)
      const much = () => Readable.from(Array.from({ length: 16 }, () => Buffer.alloc(2 ** 20)))
      for (const options of [{}, { from: 0 }])
        expect(await fault(files => files.write('/more', much(), options))).toMatchObject(
          rejectedFor('no_space'),
        )
      await value(() => store().files(ref).remove('/large'))
      await put('/more', 'there is room again')
    })

    it('of one that is gone or never was they are lost, and a destroy ends who is in the middle', async () => {
      const ref = await makeVolume()
      const data = new PassThrough()
      data.on('error', () => {})
      data.write('half')
      const written = store().files(ref).write('/upload', data)
      await value(() => store().files(ref).list('/'))
      await value(() => store().destroy(ref))
      data.end()
      expect(await written).toMatchObject({ kind: 'failed' })
      for (const absent of [ref, 'no-such-volume', '..', ''])
        expect(await settled(() => store().files(absent).list('/')), absent).toMatchObject({
          kind: 'failed',
          failure: 'lost',
        })
    })
  })
}
