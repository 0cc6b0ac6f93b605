/** One identity on the host for all machines of a tenant, and for nobody else's. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { designsHere, isRoot, openShell, running, specOf, useDriver, value } from './testing/sandbox.ts'

describe.skipIf(!isRoot || designsHere.length === 0)('a tenant (needs root)', { timeout: 60_000 }, () => {
  const { dir, driver } = useDriver(designsHere[0]!)
  const folder = (id: string) => join(dir, 'machines', id)
  const uidOf = (id: string) =>
    (JSON.parse(readFileSync(join(folder(id), 'record.json'), 'utf8')) as { uid: number }).uid
  const runningUid = (id: string) => {
    const { init } = JSON.parse(readFileSync(join(folder(id), 'process.json'), 'utf8')) as {
      init: { pid: number }
    }
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${init.pid}/status`, 'utf8'))?.[1])
  }
  const destroy = (...ids: string[]) => Promise.all(ids.map(id => value(() => driver().destroy(id))))

  it('has one uid for all machines, also made at once, and gives it back with the last of them', async () => {
    const ids = ['one', 'two', 'three']
    await Promise.all(ids.map(id => value(() => driver().create(specOf(id, { tenant: 'ada' }), id))))
    await running(driver(), 'other', { tenant: 'grace' })
    await value(() => driver().start('one'))
    const uids = new Set(ids.map(uidOf))
    expect(uids.size).toBe(1)
    expect(uids).toContain(runningUid('one'))
    expect(uids).not.toContain(runningUid('other'))
    await destroy('one', 'two')
    expect(readdirSync(join(dir, 'uids'))).toContain(String(uidOf('three')))
    await destroy('three', 'other')
    expect(readdirSync(join(dir, 'uids'))).toEqual([])
  })

  it('alone reads on the host what was set for a machine', async () => {
    const ref = await running(driver(), 'secrets', { tenant: 'ada', env: { TOKEN: 'hunter2' } })
    const files = readdirSync(folder(ref), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.includes('/disk'))
      .map(({ parentPath, name }) => join(parentPath, name))
    const holding = files.filter(path => readFileSync(path, 'utf8').includes('hunter2'))
    expect(holding.length).toBeGreaterThan(0)
    for (const path of holding) {
      const { mode, uid, gid } = lstatSync(path)
      expect([mode & 0o007, uid], path).toEqual([0, 0])
      expect([0, uidOf(ref)]).toContain(gid)
    }
    expect((await (await openShell(driver(), ref)).run('echo $TOKEN')).output).toBe('hunter2')
    await destroy(ref)
  })

  it.each(['', 'a/b', 'a\0b', 'x'.repeat(201)])('is not called %j', async tenant => {
    expect(await driver().create(specOf('badly-named', { tenant }), 'badly-named')).toMatchObject({
      failure: 'rejected',
    })
    expect(readdirSync(join(dir, 'uids'))).toEqual([])
  })

  it('gets a machine from before its own at the next start, with all that is on its disk and nothing beside it', async () => {
    await value(() => driver().create(specOf('before', { tenant: 'ada' }), 'before'))
    const [uid] = readdirSync(join(dir, 'uids'))
    // As it was: a uid for the machine, held in its name.
    const own = 219_999
    rmSync(join(dir, 'uids', uid!))
    symlinkSync('before', join(dir, 'uids', String(own)))
    const record = JSON.parse(readFileSync(join(folder('before'), 'record.json'), 'utf8')) as object
    writeFileSync(join(folder('before'), 'record.json'), JSON.stringify({ ...record, uid: own }))
    const work = join(folder('before'), 'disk', 'workspace')
    const canary = join(dir, 'canary')
    writeFileSync(canary, 'the host’s')
    mkdirSync(join(work, 'closed'))
    writeFileSync(join(work, 'closed/kept'), 'kept\n')
    symlinkSync(canary, join(work, 'out'))
    symlinkSync(dir, join(work, 'closed', 'up'))
    for (const path of [work, join(work, 'closed'), join(work, 'closed/kept')]) chownSync(path, own, own)
    chmodSync(join(work, 'closed'), 0)

    await value(() => driver().start('before'))
    expect(runningUid('before')).toBe(uidOf('before'))
    expect(uidOf('before')).not.toBe(own)
    const shell = await openShell(driver(), 'before')
    expect(
      (await shell.run('chmod 700 closed; cat closed/kept; echo more > closed/kept; cat closed/kept')).output,
    ).toBe('kept\nmore')
    for (const path of [canary, dir]) expect(lstatSync(path).uid).toBe(0)
    await destroy('before')
  })
})
