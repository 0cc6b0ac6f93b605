/** What a customer who means harm can do to the engine's host and to the machine beside his. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ref } from '../driver.ts'
import { noEngineReason, startEngine, type TestEngine } from './testing/engine.ts'
import { clientOf, type Opened, openDocker } from './testing/machines.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const reason = isLong ? await noEngineReason() : 'only in the long form'
if (reason) console.log(`skipped: attacks on docker: ${reason}`)
let engine: TestEngine
beforeAll(async () => {
  if (reason === null) engine = await startEngine()
}, 180_000)
afterAll(() => engine?.discard(), 60_000)

const availableMb = () =>
  Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))![1]) / 1024
const processes = () => readdirSync('/proc').filter(name => /^\d+$/.test(name)).length

/** The slowest of some programs run in the machine beside. */
async function slowest({ ran }: Opened, ref: Ref): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 10; n++) {
    const began = performance.now()
    expect((await ran(ref, ['echo', 'on'])).stdout).toBe('on\n')
    times.push(performance.now() - began)
    await sleep(100)
  }
  return Math.round(Math.max(...times))
}

/** Runs it and goes on; it ends with the machine. */
async function begin({ value, driver }: Opened, ref: Ref, script: string): Promise<void> {
  const program = await value(() => driver().exec(ref, { command: ['bash', '-c', script] }))
  program.stdout.resume()
  program.stderr.resume()
}

describe.skipIf(reason)('an attack', { timeout: 120_000 }, () => {
  const two = async (installation: string, spec: object = {}) => {
    const opened = await openDocker(engine, { installation, maxProcesses: 512 })
    const attacker = await opened.running({ tenant: 'mallory', cpuCores: 1, memoryGb: 0.5, ...spec })
    const beside = await opened.running({ tenant: 'anna', cpuCores: 1, memoryGb: 0.5 })
    return { opened, attacker, beside }
  }

  it('a fork bomb ends at the limit, and the machine is stopped like any other', async () => {
    const { opened, attacker, beside } = await two('bomb')
    const [before, calm] = [processes(), await slowest(opened, beside)]
    await begin(opened, attacker, ':(){ :|:& };:')
    await sleep(2_000)
    const [during, busy] = [processes(), await slowest(opened, beside)]
    console.log(`fork bomb: ${during - before} more processes, beside ${calm} ms, then ${busy} ms`)
    expect(during - before).toBeLessThan(512 + 100)
    const began = performance.now()
    await opened.value(() => opened.driver().stop(attacker))
    console.log(`fork bomb: stopped in ${Math.round(performance.now() - began)} ms`)
    await expect.poll(processes, { timeout: 20_000 }).toBeLessThan(before + 50)
    expect(await opened.state(beside)).toBe('running')
  })

  it('whoever takes more memory than he rented loses his programs, and nobody else does', async () => {
    const { opened, attacker, beside } = await two('memory')
    const before = availableMb()
    for (const script of ['tail /dev/zero', 'head -c 2000000000 /dev/zero >/dev/shm/large'])
      expect((await opened.ran(attacker, ['bash', '-c', `${script}; echo $?`])).stdout).not.toBe('0\n')
    const taken = before - availableMb()
    console.log(`memory hog: ${Math.round(taken)} MB less on the host`)
    expect(taken).toBeLessThan(800)
    expect(await opened.state(beside)).toBe('running')
    expect((await opened.ran(beside, ['head', '-c', '100000000', '/dev/zero'])).code).toBe(0)
  })

  it('busy loops get the processors that were rented', async () => {
    const { opened, attacker, beside } = await two('processor')
    await begin(opened, attacker, 'for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait')
    await sleep(500)
    const used = () => opened.value(() => opened.driver().cpuTime(attacker))
    const [from, began] = [await used(), performance.now()]
    const busy = await slowest(opened, beside)
    await sleep(3_000)
    const share = ((await used()) - from) / (performance.now() - began)
    console.log(`busy loops: ${share.toFixed(2)} of 1 processor, beside at most ${busy} ms`)
    expect(share).toBeLessThan(1.2)
  })

  it('an environment as large as any may be starts, and is whole', async () => {
    const opened = await openDocker(engine, { installation: 'environment' })
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`NAME_${n}`, `'${n}'`]))
    const ref = await opened.running({ env: { ...many, LARGE: '"'.repeat(60_000) } })
    expect((await opened.ran(ref, ['bash', '-c', 'echo ${#LARGE} $NAME_1999'])).stdout).toBe("60000 '1999'\n")
    expect(await opened.enter(await opened.shell(ref), 'echo "<${#LARGE} $NAME_7>"')).toContain("<60000 '7'>")
  })

  it('no way leads to the host: no device, no mount, no raw packet, no setting of the kernel', async () => {
    const { opened, attacker } = await two('ways')
    for (const script of [
      'mount -t tmpfs none /mnt',
      'unshare -m true',
      'unshare -U true && unshare -Ur mount -t tmpfs none /mnt',
      'mknod /root/disk b 8 0',
      'echo b >/proc/sysrq-trigger',
      'echo 1 >/proc/sys/kernel/sysrq',
      'echo x >/sys/kernel/uevent_helper',
      'echo /root/x >/proc/sys/kernel/core_pattern',
      'dmesg >/dev/null && dmesg | grep -q .',
      'touch /.ingot/lib/x',
      'perl -MSocket -e "socket(my \\$s, AF_INET, SOCK_RAW, 1) or die"',
      'ls /var/run/docker.sock',
      'nsenter -t 1 -m -- true',
      'hostname other',
    ])
      expect((await opened.ran(attacker, ['bash', '-c', script])).code, script).not.toBe(0)
  })

  it('nothing of another customer’s is reached, by any of his addresses; the gateway is the host', async () => {
    const { opened, attacker, beside } = await two('beside', {})
    await begin(
      opened,
      beside,
      `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 8000, Listen => 9) or die; while (my $c = $s->accept) { close $c }'`,
    )
    const { NetworkSettings } = await clientOf(engine).getContainer(`ingot-beside-${beside}`).inspect()
    const [{ IPAddress, Gateway } = { IPAddress: '', Gateway: '' }] = Object.values(NetworkSettings.Networks)
    const dial = (address: string) =>
      opened.ran(attacker, [
        'perl',
        '-MIO::Socket::INET',
        '-e',
        `IO::Socket::INET->new(PeerAddr => "${address}", Timeout => 2) or die`,
      ])
    await expect
      .poll(
        async () =>
          (
            await opened.ran(beside, [
              'perl',
              '-MIO::Socket::INET',
              '-e',
              'IO::Socket::INET->new(PeerAddr => "127.0.0.1:8000") or die',
            ])
          ).code,
        { timeout: 10_000 },
      )
      .toBe(0)
    expect((await dial(`${IPAddress}:8000`)).code).not.toBe(0)
    expect((await dial(`${Gateway}:8000`)).code).not.toBe(0)
  })

  it('a log without end keeps to its size', async () => {
    const flood = 'yes $(printf %0500d 0) | head -c 100000000; touch /root/over; exec sleep infinity'
    const { opened, attacker } = await two('log', { command: ['sh', '-c', flood] })
    const isOver = () => opened.settled(() => opened.driver().files(attacker).stat('/root/over'))
    await expect.poll(async () => (await isOver()).kind, { timeout: 90_000 }).toBe('done')
    const { LogPath } = await clientOf(engine).getContainer(`ingot-log-${attacker}`).inspect()
    const folder = dirname(LogPath)
    const logs = readdirSync(folder).filter(name => name.includes('json.log'))
    const bytes = logs.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    console.log(`a log without end: ${(bytes / 1e6).toFixed(1)} MB of 100`)
    expect(bytes).toBeLessThan(18e6)
  })
})
