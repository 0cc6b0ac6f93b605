/** What the driver makes of the host it is on: what it refuses, and what it leaves to itself. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { roomInMemory } from './capacity.ts'
import { createSandboxDriver } from './driver.ts'
import { hostnameOf } from './machine-files.ts'
import {
  controlPlane,
  designsHere,
  expectNothingLeft,
  groupsOf,
  isRoot,
  openShell,
  running,
  specOf,
  testDir,
  value,
} from './testing/sandbox.ts'

const [design] = designsHere

describe.skipIf(!design)('a host', { timeout: 30_000 }, () => {
  it('where machines could not reach their folder gets none, and says why (needs root)', async context => {
    if (!isRoot) context.skip('an ordinary user’s machines reach what the user reaches')
    const closed = testDir()
    chmodSync(closed, 0o700)
    const driver = await createSandboxDriver({ dir: join(closed, 'inner'), maxMachines: 2 })
    expect(driver.probes.filter(probe => probe.required && !probe.ok).map(probe => probe.name)).toContain(
      'folder',
    )
    expect(await driver.create(specOf('one'), 'one')).toMatchObject({ kind: 'failed', failure: 'denied' })
    expect(await driver.inventory()).toEqual({ kind: 'done', value: [] })
  })

  it('that blocks user namespaces gets none: nothing ever runs on the bare host', () => {
    const dir = testDir()
    const [node = '', ...args] = controlPlane(dir, design!, 'blocked', 'create start')
    const block = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    const inside = ['--user', '--map-root-user', 'sh', '-c', block, 'sh', node, ...args]
    const { status, stderr } = spawnSync('unshare', inside, { encoding: 'utf8' })
    expect(status).not.toBe(0)
    expect(stderr).toContain('"failure":"denied"')
  })

  it('reports what it can and can’t enforce', async () => {
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, maxMachines: 3 })
    expect(driver.probes.map(probe => probe.name)).toEqual(
      expect.arrayContaining(['installation', 'user namespaces', 'isolation', 'limits', 'disk limit']),
    )
    expect(driver.capabilities).toMatchObject({
      measures: { processor: true },
      hardware: 'simulated',
      shell: 'real',
      enforces: { disk: false },
    })
    if (!isRoot) expect(driver.capabilities.enforces.memory).toBe(false)
  })

  it('tells of no more machines than its memory has, whoever runs already, so that two who ask at once do not get one place', async () => {
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, maxMachines: 1_000_000 })
    const machines = async () => (await value(() => driver.inventory()))[0]!.machines
    expect(await machines()).toBeGreaterThan(0)
    expect(await machines()).toBeLessThan(1_000_000)
    const ref = await value(() => driver.create(specOf('one'), 'one'))
    await value(() => driver.start(ref))
    expect(Math.abs((await machines()) - 1 - roomInMemory())).toBeLessThanOrEqual(1)
    await value(() => driver.destroy(ref))
    expectNothingLeft(dir)
  })

  it('runs as many machines as it was told, and one more when one has stopped', async () => {
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, maxMachines: 2 })
    const full = { kind: 'failed', failure: 'no_capacity' }
    for (const id of ['one', 'two', 'three']) await value(() => driver.create(specOf(id), id))
    for (const id of ['one', 'two']) await value(() => driver.start(id))
    expect(await driver.start('three')).toMatchObject(full)
    expect(await driver.create(specOf('four'), 'four')).toMatchObject(full)
    expect(await driver.inventory()).toMatchObject({ value: [{ machines: 2 }] })
    await value(() => driver.stop('one'))
    await value(() => driver.start('three'))
    for (const { ref } of await value(() => driver.list())) await value(() => driver.destroy(ref))
    expectNothingLeft(dir)
  })

  it('gives a machine its new name at its next start', async () => {
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, maxMachines: 1 })
    await running(driver, 'named', { name: 'First' })
    await driver.create(specOf('named', { name: 'Second' }), 'named')
    await value(() => driver.stop('named'))
    const shell = await openShell(driver, await running(driver, 'named', { name: 'Second' }))
    expect((await shell.run('hostname')).output).toBe('second')
    await value(() => driver.destroy('named'))
  })

  it('is left by a machine whose folder has been deleted', async () => {
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, maxMachines: 1 })
    const shell = await openShell(driver, await running(driver, 'orphan'))
    const ended = new Promise(resolve => {
      shell.stream.once('end', resolve)
    })
    rmSync(dir, { recursive: true })
    await ended
    await sleep(200)
    mkdirSync(join(dir, 'trash'), { recursive: true })
    for (const name of ['machines', 'uids']) mkdirSync(join(dir, name))
    // The next driver on this folder takes away what the host still holds for the machine.
    const next = await createSandboxDriver({ dir, maxMachines: 1 })
    expect(await next.list()).toMatchObject({ kind: 'done', value: [] })
    expectNothingLeft(dir)
  })

  it('keeps no control group of a machine that was lost, once it is looked at or the driver starts again', async context => {
    if (!isRoot) context.skip('an ordinary user has no control groups')
    const dir = testDir()
    const driver = await createSandboxDriver({ dir, maxMachines: 3 })
    const groups = () =>
      groupsOf(dir).flatMap(group => readdirSync(group).filter(name => /^(seen|unseen)$/.test(name)))
    for (const id of ['seen', 'unseen']) {
      await running(driver, id)
      const { init } = JSON.parse(readFileSync(join(dir, 'machines', id, 'process.json'), 'utf8')) as {
        init: { pid: number }
      }
      process.kill(init.pid, 'SIGKILL')
    }
    expect(groups()).toContain('unseen')
    await expect
      .poll(() =>
        value(() => driver.observe('seen')).then(({ state }) => `${state} ${groups().includes('seen')}`),
      )
      .toBe('stopped false')
    expect(groups()).toContain('unseen')
    await createSandboxDriver({ dir, maxMachines: 3 })
    expect(groups()).toEqual([])
    for (const id of ['seen', 'unseen']) await value(() => driver.destroy(id))
    expectNothingLeft(dir)
  })

  it('keeps a machine running when the control plane that started it ends', async () => {
    const dir = testDir()
    const [node = '', ...args] = controlPlane(dir, design!, 'survivor', 'create start')
    const child = spawn(node, args, { stdio: 'inherit' })
    await new Promise(resolve => {
      child.on('exit', resolve)
    })
    const driver = await createSandboxDriver({ dir, maxMachines: 1 })
    expect(await value(() => driver.observe('survivor'))).toMatchObject({ state: 'running' })
    expect((await (await openShell(driver, 'survivor')).run('whoami')).output).toBe('root')
    await value(() => driver.destroy('survivor'))
    expectNothingLeft(dir)
  })
})

describe('a host name', () => {
  it.each([
    ['My training box', 'my-training-box'],
    ['  Ünïcode & Co. ', 'unicode-co'],
    ['訓練', 'instance'],
    ['$(reboot)`x`\'";\n', 'reboot-x'],
    ['a'.repeat(39) + '-b', 'a'.repeat(39)],
  ])('of %j is %s', (name, hostname) => {
    expect(hostnameOf(name)).toBe(hostname)
  })
})
