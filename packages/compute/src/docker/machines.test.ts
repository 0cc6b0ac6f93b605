/** What a container is beside what the contract says, on a real engine. */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { unlessMissing } from './engine.ts'
import { fileRecords } from './records.ts'
import { hostClock } from './runs.ts'
import { noEngineReason, startEngine, type TestEngine } from './testing/engine.ts'
import { clientOf, isAlive, keeperPid, openDocker } from './testing/machines.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: docker: ${reason}`)
let engine: TestEngine
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined

describe.skipIf(reason)('a machine in a container', { timeout: 90_000 }, () => {
  it('is held to what was rented, with no right on the host', async () => {
    const { running, ran } = await openDocker(engine, { installation: 'limits', maxProcesses: 64 })
    const ref = await running({ cpuCores: 1, memoryGb: 0.25, name: 'Ärger & Co' })
    const { HostConfig, Config, Mounts } = await clientOf(engine)
      .getContainer(`ingot-limits-${ref}`)
      .inspect()
    expect(HostConfig).toMatchObject({
      NanoCpus: 1e9,
      Memory: 2 ** 28,
      MemorySwap: 2 ** 28,
      PidsLimit: 64,
      Init: true,
      Privileged: false,
      RestartPolicy: { Name: 'no' },
      SecurityOpt: ['no-new-privileges'],
    })
    expect(HostConfig.Binds ?? []).toEqual([])
    expect(HostConfig.Devices ?? []).toEqual([])
    expect(Config.Labels).toMatchObject({ 'ingot.installation': 'limits', 'ingot.instance': ref })
    // The engine tells them in any order.
    expect(new Set(Mounts.map(({ Type, Destination, RW }) => `${Type} ${Destination} ${RW}`))).toEqual(
      new Set(['volume /.ingot false', 'tmpfs /.ingot/run true']),
    )
    const said = await ran(ref, ['sh', '-c', 'uname -n; touch /.ingot/x'])
    expect(said.stdout).toMatch(/^arger-co\n/)
    expect(said.stderr).toContain('Read-only')
    const bomb = await ran(ref, ['bash', '-c', 'for i in {1..200}; do sleep 5 & done; wait'])
    expect(bomb.stderr).toContain('Resource temporarily unavailable')
  })

  it('no variable of a customer’s stands where other users of the host, or readers of the engine, could see it', async () => {
    const { running, ran, shell, enter, value, driver } = await openDocker(engine, { installation: 'secret' })
    const secret = `s3cr3t-${process.pid}`
    const seen = new Set<string>()
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        for (const path of globSync('/proc/[0-9]*/cmdline'))
          try {
            const words = readFileSync(path, 'latin1')
            if (words.includes(secret)) seen.add(words)
          } catch {
            // It has ended.
          }
        await setTimeout(1)
      }
    })()
    const command = ['sh', '-c', 'echo "$TOKEN" >/root/token; exec sleep infinity']
    const ref = await running({ env: { TOKEN: secret }, command })
    expect((await ran(ref, ['sh', '-c', 'printenv TOKEN; cat /root/token'])).stdout).toBe(
      `${secret}\n${secret}\n`,
    )
    expect(await enter(await shell(ref), 'echo "<$TOKEN>"')).toContain(`<${secret}>`)
    await value(() => driver().stop(ref))
    await value(() => driver().start(ref))
    expect((await ran(ref, ['printenv', 'TOKEN'])).stdout).toBe(`${secret}\n`)
    isOver = true
    await watching
    expect([...seen]).toEqual([])
    const found = await clientOf(engine).getContainer(`ingot-secret-${ref}`).inspect()
    expect(JSON.stringify(found)).not.toContain(secret)
    for (const id of found.ExecIDs ?? [])
      expect(JSON.stringify(await clientOf(engine).getExec(id).inspect())).not.toContain(secret)
  })

  it.runIf(isLong)('two installations on one engine know nothing of each other', async () => {
    const one = await openDocker(engine, { installation: 'one' })
    const two = await openDocker(engine, { installation: 'two' })
    const ref = await one.running()
    const same = await two.create({ ...two.spec(), instanceId: ref })
    expect(same).toBe(ref)
    expect((await one.held()).get(ref)).toMatchObject({ state: 'running' })
    expect((await two.held()).get(ref)).toMatchObject({ state: 'stopped' })
    await two.value(() => two.driver().destroy(ref))
    expect(await one.state(ref)).toBe('running')
    expect([...(await two.held()).keys()]).toEqual([])
  })

  it.runIf(isLong)(
    'what ends by itself, and what uses up its memory, ended from inside, and when is known',
    async () => {
      const { driver, value, running } = await openDocker(engine)
      const wanted = { command: ['sh', '-c', 'sleep 1; exit 3'] }
      const refs = [
        await running(wanted),
        await running({ memoryGb: 0.1, command: ['sh', '-c', 'sleep 1; tail /dev/zero'] }),
      ]
      for (const ref of refs) {
        await expect
          .poll(() => value(() => driver().observe(ref)).then(({ state }) => state), { timeout: 20_000 })
          .toBe('stopped')
        const { run, at } = await value(() => driver().observe(ref))
        expect(run!.end).toMatchObject({ cause: 'inside', at: expect.any(Number) })
        expect(run!.end!.at! - run!.beganAt).toBeGreaterThan(900)
        expect(run!.end!.at!).toBeLessThanOrEqual(at)
      }
    },
  )

  it.runIf(isLong)('machines of one customer reach each other, those of two do not', async () => {
    const { running, ran } = await openDocker(engine, { installation: 'reach' })
    const serve = {
      command: [
        'perl',
        '-MIO::Socket::INET',
        '-e',
        'my $s = IO::Socket::INET->new(LocalPort => 8000, Listen => 9, ReuseAddr => 1) or die; while (my $c = $s->accept) { print $c "served\\n"; close $c }',
      ],
    }
    const server = await running({ ...serve, tenant: 'anna' })
    const { NetworkSettings } = await clientOf(engine).getContainer(`ingot-reach-${server}`).inspect()
    const [address] = Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress)
    const dial = [
      'perl',
      '-MIO::Socket::INET',
      '-e',
      `my $c = IO::Socket::INET->new(PeerAddr => "${address}:8000", Timeout => 2) or die "none\\n"; print <$c>`,
    ]
    const beside = await running({ tenant: 'anna' })
    const stranger = await running({ tenant: 'bert' })
    await expect.poll(async () => (await ran(beside, dial)).stdout, { timeout: 10_000 }).toBe('served\n')
    expect(await ran(stranger, dial)).toMatchObject({ stdout: '', stderr: 'none\n' })
  })

  it.runIf(isLong)(
    'a customer with more machines than a network has addresses gets a further one, and none is left over',
    async () => {
      const { create, spec, driver, value } = await openDocker(engine, {
        installation: 'nets',
        networkPool: '10.214.0.0/24',
        keptNetworkMs: 0,
      })
      const refs: string[] = []
      for (let count = 0; count < 14; count++) refs.push(await create(spec()))
      const networks = async () =>
        await clientOf(engine).listNetworks({ filters: { label: ['ingot.installation=nets'] } })
      expect((await networks()).map(({ IPAM }) => IPAM!.Config![0]!.Subnet).toSorted()).toEqual([
        '10.214.0.0/28',
        '10.214.0.16/28',
      ])
      await value(() => driver().start(refs[13]!))
      for (const ref of refs) await value(() => driver().destroy(ref))
      expect(await networks()).toEqual([])
    },
  )

  it.runIf(isLong)('a network that somebody removed is made again at the next start', async () => {
    const { running, driver, value, state } = await openDocker(engine, { installation: 'lost-net' })
    const ref = await running()
    await value(() => driver().stop(ref))
    const [network] = await clientOf(engine).listNetworks({
      filters: { label: ['ingot.installation=lost-net'] },
    })
    await clientOf(engine).getNetwork(network!.Id).remove()
    await value(() => driver().start(ref))
    expect(await state(ref)).toBe('running')
  })

  it.runIf(isLong)(
    'a disk limit that the engine cannot hold is not promised and not asked for',
    async context => {
      const { docker, running } = await openDocker(engine, { installation: 'disk' })
      const probe = docker.probes.find(({ name }) => name === 'disk limit')!
      expect(docker.capabilities.enforces.disk).toBe(probe.ok)
      if (probe.ok) context.skip('this engine holds disks to their size')
      expect(probe.detail).toContain('not enforced')
      const ref = await running()
      const { HostConfig } = await clientOf(engine).getContainer(`ingot-disk-${ref}`).inspect()
      expect(HostConfig.StorageOpt ?? {}).toEqual({})
    },
  )

  it.runIf(isLong)('a new size counts from the next start', async () => {
    const { create, spec, driver, value } = await openDocker(engine, { installation: 'size' })
    const wanted = spec()
    const ref = await create(wanted)
    await create({ ...wanted, memoryGb: 1, cpuCores: 1 })
    await value(() => driver().start(ref))
    const { HostConfig } = await clientOf(engine).getContainer(`ingot-size-${ref}`).inspect()
    expect(HostConfig).toMatchObject({ Memory: 2 ** 30, MemorySwap: 2 ** 30, NanoCpus: 1e9 })
  })

  it('uploads that are cut off leave nothing, and keep no call waiting', async () => {
    const { running, driver, value } = await openDocker(engine)
    const files = driver().files(await running())
    await value(() => files.makeFolder('/root/cut'))
    for (let round = 0; round < 100; round++) {
      const data = Readable.from(
        (function* () {
          yield Buffer.alloc(300_000, 'x')
          throw new Error('the sender has gone')
        })(),
      )
      // One that is refused is not read.
      data.on('error', () => {})
      expect(await files.write('/root/cut/file', data)).toMatchObject({
        kind: 'failed',
        message: 'The data did not arrive whole.',
      })
    }
    await expect
      .poll(async () => (await value(() => files.list('/root/cut'))).entries, { timeout: 10_000 })
      .toEqual([])
  })

  it('nothing that a customer left on the disk is loaded into what runs before and beside the main program', async () => {
    const { running, ran, driver, value } = await openDocker(engine, { installation: 'preload' })
    const ref = await running({
      env: { LD_PRELOAD: '/root/none.so', NODE_OPTIONS: '--require=/root/none.js' },
    })
    await ran(ref, ['sh', '-c', 'echo /root/evil.so >/etc/ld.so.preload'])
    const own = ['/.ingot/lib/ld.so', '--library-path', '/.ingot/lib', '/.ingot/bin/sh', '-c', ':']
    // The image's own loader does load it.
    expect((await ran(ref, ['sh', '-c', ':'], { env: { LD_PRELOAD: '' } })).stderr).toContain('/root/evil.so')
    expect((await ran(ref, own, { env: { LD_PRELOAD: '' } })).stderr).not.toContain('preload file')
    await value(() => driver().stop(ref))
    expect(await value(() => driver().files(ref).stat('/etc/ld.so.preload'))).toMatchObject({ kind: 'file' })
    await value(() => driver().start(ref))
    expect((await ran(ref, ['printenv', 'NODE_OPTIONS'])).stdout).toBe('--require=/root/none.js\n')
  })

  it.runIf(isLong)(
    'a stopped machine whose files are looked at stays stopped, with the run it had',
    async () => {
      const { running, driver, value, held, asked, ran } = await openDocker(engine, { installation: 'files' })
      const ref = await running()
      await ran(ref, ['sh', '-c', 'echo kept >/root/kept'])
      await value(() => driver().stop(ref))
      const { at: _, ...before } = await value(() => driver().observe(ref))
      expect(await value(() => driver().files(ref).stat('/root/kept'))).toMatchObject({ bytes: 5 })
      expect(await value(() => driver().observe(ref))).toMatchObject(before)
      expect((await held()).get(ref)).toMatchObject(before)
      expect(await asked(() => driver().exec(ref, { command: ['true'] }))).toMatchObject({ kind: 'failed' })
      const container = clientOf(engine).getContainer(`ingot-files-${ref}`)
      expect((await container.inspect()).State.Running).toBe(true)
      // And it runs no longer than somebody looks.
      await expect
        .poll(async () => (await container.inspect()).State.Running, { timeout: 15_000 })
        .toBe(false)
      await value(() => driver().files(ref).stat('/root/kept'))
      const started = await value(() => driver().start(ref))
      expect(started).toMatchObject({ state: 'running', run: { end: null } })
      expect(started.run!.id).not.toBe(before.run!.id)
    },
  )

  it.runIf(isLong)(
    'a terminal has its size from the first line, and one that is resized after its end harms nobody',
    async () => {
      const { running, attached, dir } = await openDocker(engine)
      const ref = await running()
      const reader = await attached(ref)
      await reader.until(/# $/)
      reader.type('stty size; exit\r')
      await reader.until(/24 80/)
      await reader.ended()
      reader.stream.resize({ cols: 90, rows: 30 })
      expect(isAlive(keeperPid(dir)!)).toBe(true)
      const again = await attached(ref)
      await again.until(/# $/)
    },
  )

  it.runIf(isLong)(
    'shells that a killed keeper left are ended by the next one, with what ran in them',
    async () => {
      const { running, attached, ran, dir } = await openDocker(engine)
      const ref = await running()
      const reader = await attached(ref)
      await reader.until(/# $/)
      reader.type('sleep 98765\r')
      await expect.poll(async () => (await ran(ref, ['ps', '-eo', 'args'])).stdout).toContain('sleep 98765')
      const killed = keeperPid(dir)!
      process.kill(killed, 'SIGKILL')
      await reader.ended()
      const again = await attached(ref)
      await again.until(/# $/)
      expect(keeperPid(dir)).not.toBe(killed)
      await expect
        .poll(async () => (await ran(ref, ['ps', '-eo', 'args'])).stdout, { timeout: 10_000 })
        .not.toContain('sleep 98765')
      expect((await ran(ref, ['ps', '-eo', 'args'])).stdout.match(/bash/g)).toHaveLength(1)
    },
  )

  it.runIf(isLong)('the keeper ends when its folder is gone, and ends the shells it kept', async () => {
    const { running, attached, ran, dir } = await openDocker(engine)
    const ref = await running()
    const reader = await attached(ref)
    await reader.until(/# $/)
    const pid = keeperPid(dir)!
    rmSync(`${dir}/keeper.sock`)
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
    await expect
      .poll(async () => (await ran(ref, ['ps', '-eo', 'args'])).stdout, { timeout: 10_000 })
      .not.toContain('bash')
  })

  it.runIf(isLong)('the keeper’s socket and notes are for its user alone', async () => {
    const { running, attached, dir } = await openDocker(engine)
    await (await attached(await running())).until(/# $/)
    expect(statSync(`${dir}/keeper.sock`).mode & 0o777).toBe(0o600)
    for (const name of readdirSync(`${dir}/shells`))
      expect(statSync(`${dir}/shells/${name}`).mode & 0o777).toBe(0o600)
    const pid = keeperPid(dir)!
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(engine.address)
  })

  it('our programs in an older version go when nobody has them; other servers of the installation may', async () => {
    const calls = clientOf(engine)
    const Name = 'ingot-test-versions-tools-older'
    const Labels = { 'ingot.installation': 'test-versions', 'ingot.tools': 'older' }
    const isThere = async () => (await unlessMissing(calls.getVolume(Name).inspect())) !== null
    await calls.createVolume({ Name, Labels })
    const nowhere = async () => null
    const keeper = { secret: Buffer.alloc(32), host: null, find: nowhere, ask() {}, settle: nowhere }
    const dir = mkdtempSync(join(tmpdir(), 'ingot-records-'))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    const shared = { records: fileRecords(dir), clock: hostClock, keeper }
    await openDocker(engine, { installation: 'test-versions', shared })
    expect(await isThere()).toBe(true)
    await openDocker(engine, { installation: 'test-versions' })
    expect(await isThere()).toBe(false)
  })
})
