/** A machine that is up before anybody asks for it: whose it becomes, what of it is left, and who never sees it. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSandboxDriver } from './driver.ts'
import { bootMs } from './machine-run.ts'
import type { MachineProcess, MachineRecord } from './machine-store.ts'
import { isAlive } from './processes.ts'
import { ask } from './wire/contact.ts'
import {
  designsHere,
  expectNothingLeft,
  groupsOf,
  isRoot,
  openShell,
  specOf,
  testDir,
  useDriver,
  value,
} from './testing/sandbox.ts'
import { sparesIn } from './testing/spare.ts'

describe.skipIf(!designsHere.includes('unshare'))('a spare', { timeout: 60_000 }, () => {
  const { dir, driver } = useDriver('unshare', { spares: 1, maxProcesses: 300 })
  const folder = (ref: string) => join(dir, 'machines', ref)
  const read = <T>(ref: string, name: string) =>
    JSON.parse(readFileSync(join(folder(ref), name), 'utf8')) as T
  const uidOf = (ref: string) => read<MachineRecord>(ref, 'record.json').uid
  const spare = async () => {
    await expect.poll(() => sparesIn(dir).length, { timeout: 20_000 }).toBe(1)
    return sparesIn(dir)[0]!
  }
  const create = (id: string, spec = {}) => value(() => driver().create(specOf(id, spec), id))
  const destroy = async (...ids: string[]) => {
    for (const id of ids) await value(() => driver().destroy(id))
  }

  it('is no machine until it is one: not listed, not counted, and deaf', async () => {
    const { init } = await spare()
    expect(await value(() => driver().list())).toEqual([])
    expect(await value(() => driver().inventory())).toMatchObject([{ machines: 8 }])
    const name = readdirSync(join(dir, 'machines'))[0]!
    for (const request of [
      { kind: 'attach', terminalId: 'x', cols: 80, rows: 24 },
      { kind: 'exec', command: ['true'], env: {}, cwd: null, size: null },
      { kind: 'begin' },
    ] as const) {
      const contact = await ask(folder(name), request, 2_000)
      contact?.socket.destroy()
      expect(contact?.reply).toMatchObject({ ok: false })
    }
    expect(isAlive(init!)).toBe(true)
  })

  it('becomes the machine that is deployed, with all that this was to have, and begins at its start', async () => {
    const { init } = await spare()
    const ref = await create('first', {
      name: 'Erste Maschine',
      memoryGb: 1,
      env: { TOKEN: 'hunter2' },
      command: ['sh', '-c', 'echo began; exec sleep 1000'],
    })
    expect(read<MachineProcess>(ref, 'process.json').init).toEqual(init)
    expect(await value(() => driver().observe(ref))).toMatchObject({ state: 'stopped', run: null })
    expect((await driver().attach(ref, 'main', { cols: 80, rows: 24 })).kind).toBe('failed')
    const before = bootMs()
    const { state, run } = await value(() => driver().start(ref))
    expect(state).toBe('running')
    expect(run!.beganAt).toBeGreaterThanOrEqual(before)
    expect(await value(() => driver().start(ref))).toMatchObject({ state: 'running', run })
    expect(read<MachineProcess>(ref, 'process.json').init).toEqual(init)

    const shell = await openShell(driver(), ref)
    expect(
      (await shell.run('hostname; cat /etc/hostname; echo $TOKEN; whoami; pwd')).output.split('\n'),
    ).toEqual(['erste-maschine', 'erste-maschine', 'hunter2', 'root', '/workspace'])
    expect((await shell.run('nvidia-smi | grep -c A40')).output).toBe('1')
    const lines: unknown[] = []
    for await (const line of await value(() => driver().logs(ref, { since: 0, follow: false })))
      lines.push(line)
    expect(lines.filter(line => JSON.stringify(line).includes('began'))).toHaveLength(1)
    const fields = 'CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp:'
    for (const pid of ['1', 'self'])
      expect(
        (await shell.run(`grep -E '${fields}' /proc/${pid}/status | cut -f2 | tr '\\n' ' '`)).output.trim(),
      ).toBe(`${'0000000000000000 '.repeat(5)}1 2`)
    if (isRoot) {
      const limits = groupsOf(dir).flatMap(group =>
        ['memory.limit_in_bytes', 'memory.max'].flatMap(name => {
          const path = join(group, read<MachineProcess>(ref, 'process.json').group!, name)
          return existsSync(path) ? [Number(readFileSync(path, 'utf8'))] : []
        }),
      )
      expect(limits).toEqual([2 ** 30])
    }
    const stats = await value(() => driver().stats(ref))
    expect(stats.processor!.usedMs).toBeGreaterThanOrEqual(0)
    await value(() => driver().stop(ref))
    expect(await value(() => driver().observe(ref))).toMatchObject({
      run: { id: run!.id, end: { cause: 'asked' } },
    })
    await destroy(ref)
  })

  it('is used once: the next tenant gets another, with another uid and an empty disk', async () => {
    const { init } = await spare()
    await create('one', { tenant: 'ada' })
    await value(() => driver().start('one'))
    await (await openShell(driver(), 'one')).run('echo ada > /workspace/secret; echo ada > /tmp/secret')
    await destroy('one')
    expect(isAlive(init!)).toBe(false)
    const next = await spare()
    expect(next.init).not.toEqual(init)
    await create('two', { tenant: 'grace' })
    await value(() => driver().start('two'))
    const shell = await openShell(driver(), 'two')
    expect((await shell.run('ls -A /workspace /tmp | grep -c secret')).output).toBe('0')
    await destroy('two')
  })

  it('brings a tenant without a uid theirs; a machine of one who has one keeps its own until its next start', async context => {
    if (!isRoot) context.skip('an ordinary user’s machines all run as that user')
    const holderOf = (uid: number | null) => {
      const link = join(dir, 'uids', String(uid))
      return lstatSync(link, { throwIfNoEntry: false }) ? readlinkSync(link) : null
    }
    await spare()
    await create('theirs', { tenant: 'ada' })
    await spare()
    await create('later', { tenant: 'ada' })
    await value(() => driver().start('later'))
    const [own, other] = [uidOf('theirs'), uidOf('later')]
    expect(other).not.toBe(own)
    expect([own, other].map(holderOf)).toEqual(['ada', 'later'])
    await (await openShell(driver(), 'later')).run('echo kept > /workspace/kept')
    await spare()
    await create('third', { tenant: 'grace' })
    expect([own, other]).not.toContain(uidOf('third'))
    await value(() => driver().stop('later'))
    await value(() => driver().start('later'))
    expect(uidOf('later')).toBe(own)
    expect((await (await openShell(driver(), 'later')).run('cat kept; echo more >> kept')).output).toBe(
      'kept',
    )
    expect(holderOf(other)).not.toBe('later')
    await destroy('theirs', 'later', 'third')
  })

  it('that has become a machine and is not started gives way to whatever else is asked of it', async () => {
    await spare()
    await create('read')
    const { init } = read<MachineProcess>('read', 'process.json')
    expect(await value(() => driver().files('read').stat('/workspace'))).toMatchObject({ kind: 'folder' })
    expect(isAlive(init!)).toBe(false)
    await value(() => driver().start('read'))
    expect((await (await openShell(driver(), 'read')).run('whoami')).output).toBe('root')

    await spare()
    await create('renamed', { name: 'Before' })
    await create('renamed', { name: 'After' })
    await value(() => driver().start('renamed'))
    expect((await (await openShell(driver(), 'renamed')).run('hostname')).output).toBe('after')

    await spare()
    await create('deleted')
    await destroy('deleted', 'read', 'renamed')
  })

  it('whose keeper is killed is not used', async () => {
    const { init, launcher } = await spare()
    process.kill(init!.pid, 'SIGKILL')
    await expect.poll(() => isAlive(launcher!)).toBe(false)
    await create('cold')
    await value(() => driver().start('cold'))
    expect((await (await openShell(driver(), 'cold')).run('whoami')).output).toBe('root')
    await destroy('cold')
  })

  it('is gone when the driver is closed', async () => {
    const other = testDir()
    const closed = await createSandboxDriver({ dir: other, design: 'unshare', maxMachines: 1, spares: 1 })
    await expect.poll(() => sparesIn(other).length, { timeout: 20_000 }).toBe(1)
    await closed.close()
    expectNothingLeft(other)
  })
})
