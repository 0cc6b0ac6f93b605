/** On a public host no machine of a stranger's may reach what is not meant for strangers. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { targetsOf } from './reach.ts'
import { noEngineReason, startEngine, type TestEngine } from './testing/engine.ts'
import { openDocker } from './testing/machines.ts'

it('what is tried is where something listens, the clouds’ own services and neighbours, and not the public listener', () => {
  const targets = targetsOf(
    {
      addresses: ['203.0.113.5', '10.0.0.5'],
      listeners: [
        { address: null, port: 443 },
        { address: null, port: 22 },
        { address: '10.0.0.5', port: 5432 },
      ],
      neighbours: ['10.0.0.1', '203.0.113.1', '10.0.0.5'],
    },
    443,
  )
  expect(targets).toEqual(
    expect.arrayContaining([
      '169.254.169.254:80',
      '203.0.113.5:22',
      '10.0.0.5:22',
      '10.0.0.5:5432',
      '10.0.0.1:6443',
    ]),
  )
  for (const each of ['203.0.113.5:443', '10.0.0.5:443', '203.0.113.5:5432', '203.0.113.1:22'])
    expect(targets).not.toContain(each)
})

const reason = await noEngineReason()
if (reason) console.log(`skipped: what machines reach: ${reason}`)

describe.skipIf(reason)('on a public host', { timeout: 90_000 }, () => {
  let engine: TestEngine
  const closers: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    if (!reason) engine = await startEngine()
  }, 180_000)
  afterAll(async () => {
    for (const close of closers) await close()
    await engine?.discard()
  }, 60_000)

  const ip = (...args: string[]) => execFileSync('ip', args)

  async function listen(network: string, address: string, port: number): Promise<void> {
    const program = `use IO::Socket::INET; my $s = IO::Socket::INET->new(LocalAddr => "${address}", LocalPort => ${port}, Listen => 9, ReuseAddr => 1) or die; $| = 1; print "up"; while (my $c = $s->accept) { close $c }`
    const child = spawn('ip', ['netns', 'exec', network, 'perl', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    closers.push(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    await once(child.stdout, 'data')
  }

  const looked = async (options: { publicPort?: number; acceptsReach?: boolean } = {}) => {
    const { docker } = await openDocker(engine, { publicPort: 8080, ...options })
    return docker.probes.find(({ name }) => name === 'reach')!
  }

  it('what stands in for a metadata service, for the host’s own ports and for a neighbour is found; the public listener may be reached', async () => {
    const { network } = engine
    ip('-n', network, 'link', 'add', 'out', 'type', 'bridge')
    ip('-n', network, 'addr', 'add', '10.99.0.1/24', 'dev', 'out')
    ip('-n', network, 'link', 'set', 'out', 'up')
    await listen(network, '0.0.0.0', 8080)
    expect(await looked()).toMatchObject({
      ok: true,
      required: true,
      detail: 'nothing of the host’s and around it takes connections',
    })

    ip('-n', network, 'addr', 'add', '169.254.169.254/32', 'dev', 'out')
    await listen(network, '169.254.169.254', 80)
    await listen(network, '10.99.0.1', 5432)
    const beside = `${network}-b`
    ip('netns', 'add', beside)
    closers.push(async () => ip('netns', 'delete', beside))
    ip('-n', network, 'link', 'add', 'near', 'type', 'veth', 'peer', 'name', 'far', 'netns', beside)
    ip('-n', network, 'addr', 'add', '10.98.0.1/24', 'dev', 'near')
    ip('-n', network, 'link', 'set', 'near', 'up')
    ip('-n', beside, 'addr', 'add', '10.98.0.2/24', 'dev', 'far')
    ip('-n', beside, 'link', 'set', 'far', 'up')
    ip('-n', beside, 'route', 'add', 'default', 'via', '10.98.0.1')
    await listen(beside, '10.98.0.2', 6443)
    // Whoever the host has spoken to it knows.
    execFileSync('ip', [
      'netns',
      'exec',
      network,
      'perl',
      '-MIO::Socket::INET',
      '-e',
      'IO::Socket::INET->new(PeerAddr => "10.98.0.2:6443") or die',
    ])
    const found = await looked()
    expect(found).toMatchObject({ ok: false, required: true })
    expect(found.detail).toBe('machines would reach 10.98.0.2:6443, 10.99.0.1:5432, 169.254.169.254:80')
    expect(await looked({ acceptsReach: true })).toMatchObject({ ok: false, required: false })

    const rule = (...args: string[]) => execFileSync('ip', ['netns', 'exec', network, 'iptables', ...args])
    rule('-I', 'INPUT', '-s', '10.213.0.0/16', '-p', 'tcp', '!', '--dport', '8080', '-j', 'DROP')
    rule('-I', 'DOCKER-USER', '-s', '10.213.0.0/16', '-d', '10.0.0.0/8', '-j', 'DROP')
    expect(await looked()).toMatchObject({ ok: true })
  })
})
