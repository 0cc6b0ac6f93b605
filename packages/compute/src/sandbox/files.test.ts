/** Files of a running machine: what its tenant can put in the way, and what is not the tenant's. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FileFault } from '../driver.ts'
import { diskFolders } from './machine-view.ts'
import { designsHere, isRoot, openShell, running, type Shell, useDriver, value } from './testing/sandbox.ts'

const refused = (fault: FileFault) => ({ kind: 'failed', failure: 'rejected', fault })
const data = (content = 'x') => Readable.from([Buffer.from(content)])

/** Fills the machine with processes and stays. */
const forks = `
import os, time
try:
    while True:
        if os.fork() == 0: time.sleep(1000)
except OSError as error: print("full:", error.errno, flush=True)
time.sleep(1000)
`

for (const design of designsHere)
  describe(`the files of a running machine by ${design}`, { timeout: 60_000 }, () => {
    const { dir, driver } = useDriver(design, { maxProcesses: 100 })
    let shell: Shell
    const files = () => driver().files('main')

    beforeAll(async () => {
      shell = await openShell(driver(), await running(driver(), 'main'))
    })

    it('lie on mounts on which no program gains rights and no device opens', async () => {
      const { output } = await shell.run(`awk '{ print $5, $6 }' /proc/self/mountinfo`)
      const flags = new Map(output.split('\n').map(line => line.split(' ') as [string, string]))
      for (const name of Object.keys(diskFolders))
        expect(flags.get(`/${name}`)?.split(','), name).toEqual(
          expect.arrayContaining(['rw', 'nosuid', 'nodev']),
        )
    })

    it('are what its programs see, with their rights and no more', async () => {
      await shell.run('echo mine > mine; chmod 600 mine; ln -s /etc/hostname link')
      expect(await text((await value(() => files().read('/workspace/mine'))).data)).toBe('mine\n')
      expect(await text((await value(() => files().read('/workspace/link'))).data)).toBe('test-machine\n')
      expect(await files().read('/etc/shadow')).toMatchObject(refused('not_found'))
      expect(await files().list(dir)).toMatchObject(refused('not_found'))
      expect(await files().write('/workspace/link', data())).toMatchObject(refused('no_access'))
      expect(await files().write('/usr/bin/door', data())).toMatchObject(refused('no_access'))
      expect(await files().makeFolder('/door')).toMatchObject(refused('no_access'))
      await value(() => files().write('/root/.profile', data('# mine\n')))
      expect((await shell.run('cat ~/.profile; stat -c %U ~/.profile')).output).toBe('# mine\nroot')
    })

    it('are files: nothing of the keeper’s own is read or rewritten through the kernel’s', async () => {
      for (const path of [
        '/proc/self/mem',
        '/proc/self/environ',
        '/proc/self/fd/3',
        '/dev/ptmx',
        '/dev/tty',
      ]) {
        expect((await files().read(path)).kind, path).toBe('failed')
        expect((await files().write(path, data(), { from: 0 })).kind, path).toBe('failed')
      }
      expect(await files().read('/proc/1/root/etc/shadow')).toMatchObject({ kind: 'failed' })
      expect((await shell.run('echo alive')).output).toBe('alive')
    })

    it('that are parts of the machine itself can’t be removed, and nothing in them goes', async () => {
      await shell.run('mkdir -p kept; echo kept > kept/file')
      for (const path of ['/', '/workspace', '/usr', '/proc', '/etc/passwd', '/run', '/workspace/kept/..'])
        expect((await files().remove(path)).kind, path).toBe('failed')
      expect(await files().rename('/workspace', '/root/workspace')).toMatchObject({ kind: 'failed' })
      expect(await files().rename('/workspace/kept', '/root/kept')).toMatchObject(refused('bad_path'))
      expect((await shell.run('cat kept/file; ls ~')).output).toBe('kept')
    })

    it('are removed also when their owner has closed them', async () => {
      await shell.run('mkdir -p closed/in/deeper; touch closed/file closed/in/deeper/file')
      await shell.run('chmod 0 closed/in/deeper closed/in; chmod 500 closed; chmod 0 closed')
      expect(await files().list('/workspace/closed')).toMatchObject(refused('no_access'))
      expect(await files().read('/workspace/closed/file')).toMatchObject(refused('no_access'))
      await value(() => files().remove('/workspace/closed'))
      expect((await shell.run('ls -d closed')).code).not.toBe(0)
    })

    it.skipIf(!isRoot)(
      'are there when the machine is full of processes, and it lives on (needs root)',
      async () => {
        // One whose keeper has not had to do with files before.
        const ref = await running(driver(), 'full')
        const full = await openShell(driver(), ref)
        writeFileSync(join(dir, 'machines/full/disk/workspace/forks.py'), forks)
        full.type('python3 forks.py\r')
        await full.until(/full: 11/)
        await value(() => driver().files(ref).write('/workspace/in-time', data('written')))
        const read = await value(() => driver().files(ref).read('/workspace/in-time'))
        expect(await text(read.data)).toBe('written')
        expect((await value(() => driver().observe(ref))).state).toBe('running')
      },
    )
  })
