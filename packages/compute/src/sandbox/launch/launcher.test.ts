/** The launcher, its runs beside each other, and what ends when something in between is killed. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSandboxDriver } from '../driver.ts'
import { launch, type Launch } from './launch.ts'
import { makeFolder, type MachineProcess } from '../machine-store.ts'
import { hostView } from '../machine-view.ts'
import { identify, isAlive } from '../processes.ts'
import {
  designsHere,
  expectNothingLeft,
  isRoot,
  openShell,
  running,
  testDir,
  useDriver,
  value,
} from '../testing/sandbox.ts'

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
const nameOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()

describe.skipIf(!designsHere.includes('unshare'))('the launcher', { timeout: 60_000 }, () => {
  const { dir, driver } = useDriver('unshare')
  const noted = (ref: string) =>
    JSON.parse(readFileSync(join(dir, 'machines', ref, 'process.json'), 'utf8')) as MachineProcess
  /** Watcher, holder, first process, keeper. */
  const chainOf = (ref: string) => {
    const chain = [noted(ref).launcher!.pid]
    for (let next = chain; next.length > 0 && chain.length < 4; next = childrenOf(chain.at(-1)!).slice(0, 1))
      if (next !== chain) chain.push(...next)
    return chain
  }
  /** The process beside this one. */
  const launcherOf = (ref: string) => {
    const [watcher] = chainOf(ref)
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${watcher}/status`, 'utf8'))![1])
  }
  const trial = (folder: string, changed: Partial<Launch> = {}): Launch => ({
    design: 'unshare',
    byLauncher: true,
    view: hostView('trial'),
    folder,
    mark: 'trial',
    run: '1',
    uid: null,
    groupFiles: [],
    filter: null,
    socket: null,
    command: ['/bin/true'],
    ...changed,
  })

  it('makes machines at once, and none holds anything of another', async () => {
    const refs = await Promise.all(['one', 'two', 'three'].map(id => running(driver(), id)))
    const chains = refs.map(chainOf)
    for (const [at, chain] of chains.entries())
      expect(chain.map(nameOf)).toEqual([
        `ingot-machine ${refs[at]}`,
        `ingot-holder ${refs[at]}`,
        `ingot-init ${refs[at]}`,
        'ingot-keeper',
      ])
    // An ordinary user can't look, because these processes are closed.
    if (!isRoot) return
    const open = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
        const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
        return /^(\/dev)?\/null$/.test(target) ? [] : [target]
      })
    const held = chains.map(chain => chain.slice(0, 3).map(open))
    for (const [watcher, holder, first] of held) {
      expect([holder, first]).toEqual([[], []])
      expect(watcher!.filter(target => target.startsWith('socket:'))).toHaveLength(1)
    }
    const all = held.flatMap(([watcher]) => watcher!)
    expect(new Set(all).size).toBe(all.length)
  })

  it('leaves a first process that no signal from inside ends, and that collects orphans', async () => {
    const shell = await openShell(driver(), await running(driver(), 'signalled'))
    await shell.run('for n in $(seq 1 64); do kill -$n 1; done 2> /dev/null')
    await shell.run('for n in $(seq 1 20); do (sleep 0.1 & exit) & done; wait; sleep 0.5')
    expect((await shell.run('grep -l "^State:.Z" /proc/[0-9]*/status | wc -l')).output).toBe('0')
    expect((await shell.run('cat /proc/1/environ /proc/1/maps; ls /proc/1/root /proc/1/cwd')).code).not.toBe(
      0,
    )
    expect((await shell.run('tr "\\0" " " < /proc/1/cmdline')).output.trim()).toBe('ingot-init signalled')
  })

  it('is in no group of processes that a machine’s programs can signal', async () => {
    const chain = chainOf(await running(driver(), 'grouped'))
    const groupOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[2]
    const [watcher, , first] = chain
    expect(chain.map(groupOf)).toEqual([watcher, watcher, first, first].map(String))
  })

  it('ends the machine with its holder, by the host', async () => {
    const ref = await running(driver(), 'held')
    process.kill(chainOf(ref)[1]!, 'SIGKILL')
    await expect.poll(async () => (await value(() => driver().observe(ref))).state).toBe('stopped')
    const { run } = await value(() => driver().observe(ref))
    expect(run).toMatchObject({ end: { cause: 'host', at: expect.any(Number) } })
  })

  it('that is killed is followed by another, and what it has started goes on', async () => {
    const ref = await running(driver(), 'before')
    const old = launcherOf(ref)
    expect(nameOf(old)).toContain('launcher.pl')
    process.kill(old, 'SIGKILL')
    await expect.poll(() => identify(old)).toBeNull()
    const shell = await openShell(driver(), ref)
    expect((await shell.run('echo alive')).output).toBe('alive')
    const next = await running(driver(), 'after')
    expect(launcherOf(next)).not.toBe(old)
    process.kill(noted(ref).init!.pid, 'SIGKILL')
    await expect.poll(async () => (await value(() => driver().observe(ref))).state).toBe('stopped')
    expect(await value(() => driver().observe(ref))).toMatchObject({
      run: { end: { cause: 'host', at: expect.any(Number) } },
    })
  })

  it.each([
    ['a group that is not there', { groupFiles: ['/sys/fs/cgroup/none/procs'] }, '/sys/fs/cgroup/none/procs'],
    ['a program that is not there', { command: ['/usr/bin/none'] }, '/usr/bin/none: No such file'],
    ['a filter that is not there', { filter: '/none.bpf' }, '/none.bpf: No such file'],
    [
      'a folder that can’t be mounted',
      { view: { ...hostView('x'), readOnly: [{ source: '/none', path: '/usr' }] } },
      '/usr: No such file',
    ],
  ])('tells of %s', async (_, changed, words) => {
    const folder = join(testDir(), 'trial')
    makeFolder(folder, 0o711)
    let watcher = 0
    const launched = await launch(trial(folder, changed), pid => {
      watcher = pid!
    })
    expect(await launched.ended).not.toBe(0)
    expect(await launched.complaint()).toContain(words)
    expect(identify(watcher)).toBeNull()
  })

  it('does nothing for a run that could not be noted', async () => {
    const folder = join(testDir(), 'trial')
    makeFolder(folder, 0o711)
    let watcher: ReturnType<typeof identify> = null
    const refused = launch(trial(folder, { command: ['/usr/bin/touch', '/tmp/x'] }), pid => {
      watcher = identify(pid!)
      throw new Error('no space')
    })
    await expect(refused).rejects.toThrow('no space')
    await expect.poll(() => isAlive(watcher!)).toBe(false)
    expect(readdirSync(join(folder, 'root'))).toEqual([])
  })

  it('can be done without: single tools make the same machine', async () => {
    const folder = testDir()
    const plain = await createSandboxDriver({
      dir: folder,
      design: 'unshare',
      launcher: false,
      maxMachines: 1,
    })
    expect(plain.probes.find(({ name }) => name === 'util-linux')?.detail).toBe(
      'works, by single tools, with a filter',
    )
    const shell = await openShell(plain, await running(plain, 'plain', { name: 'Plain' }))
    const { output } = await shell.run(
      'hostname; grep -hE "CapEff|Seccomp:" /proc/1/status /proc/self/status',
    )
    const fields = 'CapEff: 0000000000000000 Seccomp: 2'
    expect(output.replaceAll(/\s+/g, ' ')).toBe(`plain ${fields} ${fields}`)
    await value(() => plain.destroy('plain'))
    expectNothingLeft(folder)
    expect(existsSync(join(folder, 'machines/plain'))).toBe(false)
  })
})
