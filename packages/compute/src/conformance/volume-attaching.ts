/** The part about volumes in machines: what is written stays, one machine at a time has it, and it leads nowhere else. */
import { describe, expect, it } from 'vitest'
import { mountNameOf } from '../volume-mount.ts'
import type { VolumeSubject } from './volume-subject.ts'

const rejected = { kind: 'failed', failure: 'rejected' }
const badNames = [
  '',
  '.',
  '..',
  '../up',
  'a/b',
  '/etc',
  '-rf',
  ' ',
  'a b',
  'ü',
  '\u202E',
  'a\n',
  '\0',
  'n'.repeat(300),
]

export function describeAttaching(subject: VolumeSubject): void {
  const { asked, driver, makeVolume, mounted, read, runningWith, settled, store, value, write } = subject

  describe('volumes in machines', () => {
    it('what one machine wrote another reads byte for byte, after the first is destroyed', async () => {
      const ref = await makeVolume()
      const bytes = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(at % 0xd000)).join('')
      const first = await runningWith(mounted(ref))
      await write(first, '/volumes/data/deep', bytes)
      expect(await value(() => store().observe(ref))).toMatchObject({ machine: first })
      await value(() => driver().destroy(first))
      expect(await value(() => store().observe(ref))).toMatchObject({ machine: null })
      const second = await runningWith(mounted(ref, { name: 'other' }))
      expect(await read(second, '/volumes/other/deep')).toBe(bytes)
      expect(await read(second, '/workspace/other/deep')).toBe(bytes)
      await write(second, '/volumes/other/deep', 'changed')
      // And by the machine that had it, stopped and started, also by the next driver.
      await value(() => driver().stop(second))
      await subject.reopen()
      await value(() => driver().start(second))
      expect(await read(second, '/volumes/other/deep')).toBe('changed')
    })

    it('the spec of the next start decides, and a machine without a volume has none', async () => {
      const [one, two] = [await makeVolume(), await makeVolume()]
      const wanted = { ...subject.spec(), volume: mounted(one, { name: 'first' }) }
      const machine = await subject.create(wanted)
      await value(() => driver().start(machine))
      await write(machine, '/volumes/first/file', 'of the first')
      const changed = { ...wanted, volume: mounted(two, { name: 'second' }) }
      await value(() => driver().create(changed, wanted.instanceId))
      expect(await read(machine, '/volumes/first/file')).toBe('of the first')
      expect(await value(() => store().observe(two))).toMatchObject({ machine: null })
      await value(() => driver().stop(machine))
      await value(() => driver().start(machine))
      await write(machine, '/volumes/second/file', 'of the second')
      expect(await value(() => store().observe(one))).toMatchObject({ machine: null })
      await value(() => driver().stop(machine))
      await value(() => driver().create({ ...wanted, volume: null }, wanted.instanceId))
      await value(() => driver().start(machine))
      const files = driver().files(machine)
      for (const path of [
        '/volumes/first/file',
        '/volumes/second/file',
        '/workspace/first',
        '/workspace/second',
      ])
        expect(await settled(() => files.stat(path))).toMatchObject({ fault: 'not_found' })
    })

    it('the link hides nothing that is there', async () => {
      const ref = await makeVolume()
      const wanted = subject.spec()
      const machine = await subject.create(wanted)
      await value(() => driver().files(machine).makeFolder('/workspace/data'))
      await write(machine, '/workspace/data/mine', 'mine')
      await value(() => driver().create({ ...wanted, volume: mounted(ref) }, wanted.instanceId))
      await value(() => driver().start(machine))
      await write(machine, '/volumes/data/theirs', 'on the volume')
      expect(await read(machine, '/workspace/data/mine')).toBe('mine')
      expect(await settled(() => driver().files(machine).stat('/workspace/data/theirs'))).toMatchObject({
        fault: 'not_found',
      })
    })

    it('one machine that runs has it: another can’t start with it, and it can’t be destroyed', async () => {
      const ref = await makeVolume()
      const first = await runningWith(mounted(ref))
      await write(first, '/volumes/data/file', 'kept')
      const second = await subject.create({ ...subject.spec(), volume: mounted(ref) })
      expect(await settled(() => driver().start(second))).toMatchObject(rejected)
      expect(await settled(() => store().destroy(ref))).toMatchObject(rejected)
      expect(await read(first, '/volumes/data/file')).toBe('kept')
      await value(() => driver().stop(first))
      await value(() => driver().start(second))
      expect(await read(second, '/volumes/data/file')).toBe('kept')
    })

    it('a volume that is gone, or another tenant’s, starts no machine', async () => {
      const ref = await makeVolume()
      const strange = await subject.create({ ...subject.spec(), tenant: 'another', volume: mounted(ref) })
      expect(await settled(() => driver().start(strange))).toMatchObject(rejected)
      await value(() => store().destroy(ref))
      const late = await subject.create({ ...subject.spec(), volume: mounted(ref) })
      expect(await settled(() => driver().start(late))).toMatchObject(rejected)
    })

    it('a name that is no safe name is refused, and every volume’s name makes a safe one', async () => {
      const ref = await makeVolume()
      for (const name of badNames) {
        const spec = { ...subject.spec(), volume: mounted(ref, { name }) }
        expect(await asked(() => driver().create(spec, spec.instanceId)), JSON.stringify(name)).toMatchObject(
          rejected,
        )
      }
      for (const name of ['n'.repeat(300), '../../Mödelle ', '数据', '...', '\u0000-x']) {
        const machine = await runningWith(mounted(ref, { name: mountNameOf(name) }))
        await write(machine, `/volumes/${mountNameOf(name)}/file`, name)
        await value(() => driver().destroy(machine))
      }
    })

    it('read-only is read-only', async context => {
      if (!store().capabilities.readOnly) return context.skip('this store has no read-only volumes')
      const ref = await makeVolume()
      const first = await runningWith(mounted(ref))
      await write(first, '/volumes/data/file', 'kept')
      await value(() => driver().destroy(first))
      const machine = await runningWith(mounted(ref, { readOnly: true }))
      expect(await read(machine, '/volumes/data/file')).toBe('kept')
      await expect(write(machine, '/volumes/data/file', 'changed')).rejects.toThrow('no_access')
      await expect(write(machine, '/volumes/data/new', 'new')).rejects.toThrow('no_access')
      expect(await settled(() => driver().files(machine).remove('/volumes/data/file'))).toMatchObject(
        rejected,
      )
      expect(await read(machine, '/volumes/data/file')).toBe('kept')
    })

    it('while a machine runs a volume comes and goes as declared', async () => {
      const ref = await makeVolume()
      const machine = await runningWith(null)
      const attach = () => store().attach(machine, mounted(ref))
      if (!store().capabilities.whileRunning) {
        expect(await settled(attach)).toMatchObject(rejected)
        expect(await value(() => store().observe(ref))).toMatchObject({ machine: null })
        return
      }
      await value(attach)
      await value(attach)
      expect(await value(() => store().observe(ref))).toMatchObject({ machine })
      await write(machine, '/volumes/data/file', 'written live')
      expect(await read(machine, '/workspace/data/file')).toBe('written live')
      const other = await runningWith(null)
      expect(await settled(() => store().attach(other, mounted(ref)))).toMatchObject(rejected)
      await value(() => store().detach(machine))
      await value(() => store().detach(machine))
      expect(await settled(() => driver().files(machine).stat('/volumes/data/file'))).toMatchObject(rejected)
      await value(() => store().attach(other, mounted(ref, { name: 'there', readOnly: true })))
      expect(await read(other, '/volumes/there/file')).toBe('written live')
      await expect(write(other, '/volumes/there/new', 'new')).rejects.toThrow('no_access')
      // A stop takes it off.
      await value(() => driver().stop(other))
      await value(attach)
      expect(await read(machine, '/volumes/data/file')).toBe('written live')
    })

    it('one that is mounted becomes read-only and writable again while the machine runs, as declared', async () => {
      const ref = await makeVolume()
      const machine = await runningWith(mounted(ref))
      await write(machine, '/volumes/data/file', 'writable')
      const change = (readOnly: boolean) => store().attach(machine, mounted(ref, { readOnly }))
      if (!store().capabilities.readOnlyLive) {
        expect(await settled(() => change(true))).toMatchObject(rejected)
        return write(machine, '/volumes/data/file', 'as before')
      }
      await value(() => change(true))
      await value(() => change(true))
      for (const path of ['/volumes/data/file', '/volumes/data/new', '/workspace/data/file'])
        await expect(write(machine, path, 'changed')).rejects.toThrow('no_access')
      expect(await read(machine, '/volumes/data/file')).toBe('writable')
      expect(await settled(() => store().attach(machine, mounted(ref, { name: 'other' })))).toMatchObject(
        rejected,
      )
      await value(() => change(false))
      await write(machine, '/volumes/data/file', 'writable again')
      // And one that was mounted while it ran.
      await value(() => store().detach(machine))
      await value(() => change(false))
      await value(() => change(true))
      await expect(write(machine, '/volumes/data/file', 'changed')).rejects.toThrow('no_access')
      // The next start has it as the spec says.
      await value(() => driver().stop(machine))
      await value(() => driver().start(machine))
      await write(machine, '/volumes/data/file', 'as the spec says')
    })

    it('one in which a program has a file open for writing does not become read-only under it', async context => {
      subject.needRealShell(context)
      if (!store().capabilities.readOnlyLive)
        return context.skip('this store changes no mount that is in use')
      const ref = await makeVolume()
      const machine = await runningWith(mounted(ref))
      const writer = await value(() =>
        driver().exec(machine, {
          command: ['sh', '-c', 'exec 5> /volumes/data/file; echo up; read -r go; echo late >&5'],
        }),
      )
      await new Promise(resolve => {
        writer.stdout.once('data', resolve)
      })
      const change = () => store().attach(machine, mounted(ref, { readOnly: true }))
      expect(await settled(change)).toMatchObject(rejected)
      writer.stdin.end('go\n')
      for (const output of [writer.stdout, writer.stderr]) output.resume()
      await writer.ended
      await value(change)
      expect(await read(machine, '/volumes/data/file')).toBe('late\n')
      await expect(write(machine, '/volumes/data/new', 'new')).rejects.toThrow('no_access')
    })

    it('a volume that a program uses is not taken off under it', async context => {
      subject.needRealShell(context)
      if (!store().capabilities.whileRunning)
        return context.skip('this store takes nothing off while a machine runs')
      const ref = await makeVolume()
      const machine = await runningWith(null)
      await value(() => store().attach(machine, mounted(ref)))
      const sleeper = await value(() =>
        driver().exec(machine, { command: ['sh', '-c', 'echo up; exec sleep 60'], cwd: '/volumes/data' }),
      )
      await new Promise(resolve => {
        sleeper.stdout.once('data', resolve)
      })
      expect(await settled(() => store().detach(machine))).toMatchObject(rejected)
      await write(machine, '/volumes/data/file', 'still there')
      sleeper.signal('KILL')
      for (const output of [sleeper.stdout, sleeper.stderr]) output.resume()
      await sleeper.ended
      await value(() => store().detach(machine))
    })

    it('what a tenant puts there has no power: set-uid, devices, links out', async context => {
      subject.needRealShell(context)
      const ref = await makeVolume()
      const machine = await runningWith(mounted(ref))
      const { stdout } = await subject.ran(machine, [
        'sh',
        '-c',
        [
          'cd /volumes/data',
          'grep " /volumes/data " /proc/self/mountinfo | cut -d" " -f6',
          'cp /bin/sleep sleep; chmod 6755 sleep',
          'mknod zero c 1 5 2>/dev/null && head -c 1 zero >/dev/null 2>&1 && echo device',
          'ln -s /etc/shadow out; ln -s ../../../../../../etc/shadow up; ln -s / data; ln -s . loop',
          'cat ../../etc/shadow 2>/dev/null',
          'ls -A / | tr "\\n" " "; echo; ls -A ../.. | tr "\\n" " "',
        ].join('\n'),
      ])
      const [flags, inside, above, ...rest] = stdout.split('\n')
      expect(flags!.split(',')).toEqual(expect.arrayContaining(['nosuid', 'nodev']))
      // Above the mount is the machine's own root, nothing of the host's.
      expect(above).toBe(inside)
      expect(rest.join('')).toBe('')
    })
  })
}
