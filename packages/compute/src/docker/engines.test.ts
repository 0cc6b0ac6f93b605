/** Engines of other kinds: over TLS, on a file system that holds disks to their size, with more networks than an engine has by itself. */
import { execFileSync, execSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEngine } from './engine.ts'
import { missingAfterInstall, noEngineReason, startEngine } from './testing/engine.ts'
import { clientOf, openDocker } from './testing/machines.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const reason = isLong ? await noEngineReason() : 'only in the long form'
if (reason) console.log(`skipped: other engines: ${reason}`)

describe.skipIf(reason)('an engine', { timeout: 180_000 }, () => {
  it('of 40 customers has 40 networks, and machines on the last one run', async () => {
    const engine = await startEngine()
    onTestFinished(() => engine.discard(), 60_000)
    const { create, spec, driver, value, ran } = await openDocker(engine, {
      installation: 'forty',
      keptNetworkMs: 0,
    })
    const refs: string[] = []
    for (let tenant = 0; tenant < 40; tenant++)
      refs.push(await create({ ...spec(), tenant: `tenant-${tenant}` }))
    const networks = await clientOf(engine).listNetworks({ filters: { label: ['ingot.installation=forty'] } })
    const subnets = networks.map(({ IPAM }) => IPAM!.Config![0]!.Subnet)
    expect(new Set(subnets).size).toBe(40)
    for (const subnet of subnets) expect(subnet).toMatch(/^10\.213\.\d+\.\d+\/28$/)
    for (const ref of [refs[0]!, refs[39]!]) {
      await value(() => driver().start(ref))
      expect((await ran(ref, ['cat', '/proc/net/route'])).stdout).toContain('eth0')
    }
    await Promise.all(refs.map(ref => value(() => driver().destroy(ref))))
    expect(await clientOf(engine).listNetworks({ filters: { label: ['ingot.installation=forty'] } })).toEqual(
      [],
    )
  })

  it('on btrfs holds each disk to its size, and its neighbours have theirs', async context => {
    const lacks = missingAfterInstall(['mkfs.btrfs'], ['btrfs-progs'])
    if (lacks) return context.skip(lacks)
    const engine = await startEngine(dir => {
      mkdirSync(join(dir, 'data'))
      execFileSync('truncate', ['-s', '6G', join(dir, 'disk')])
      execFileSync('mkfs.btrfs', ['-q', join(dir, 'disk')])
      execFileSync('mount', ['-o', 'loop', join(dir, 'disk'), join(dir, 'data')])
      return []
    })
    onTestFinished(() => engine.discard(), 60_000)
    const { docker, running, ran, asked, driver, value } = await openDocker(engine, { installation: 'btrfs' })
    expect(docker.probes.find(({ name }) => name === 'disk limit')).toMatchObject({ ok: true })
    expect(docker.capabilities.enforces.disk).toBe(true)
    const filler = await running({ storageGb: 1, tenant: 'anna' })
    const beside = await running({ storageGb: 1, tenant: 'bert' })
    const filled = await ran(filler, [
      'sh',
      '-c',
      'head -c 3000000000 /dev/urandom >/root/large; echo $?; sync',
    ])
    expect(filled.stderr).toMatch(/quota|No space/i)
    expect(filled.stdout).toBe('1\n')
    const { stdout } = await ran(filler, ['stat', '-c', '%s', '/root/large'])
    expect(Number(stdout)).toBeLessThanOrEqual(2 ** 30)
    expect(Number(stdout)).toBeGreaterThan(0.8 * 2 ** 30)
    expect(
      (await ran(beside, ['sh', '-c', 'head -c 500000000 /dev/urandom >/root/large && echo whole'])).stdout,
    ).toBe('whole\n')
    // Full, it is still seen, stopped and started.
    await value(() => driver().stop(filler))
    await value(() => driver().start(filler))
    expect(await asked(() => driver().observe(filler))).toMatchObject({ value: { state: 'running' } })
  })

  it('over TLS is spoken to by whoever has a certificate of its authority, and speaks to nobody else', async () => {
    const address = '10.97.213.2'
    let folder = ''
    const engine = await startEngine((dir, network) => {
      folder = dir
      certificates(dir, address)
      execFileSync('ip', [
        'link',
        'add',
        'ingot-tls',
        'type',
        'veth',
        'peer',
        'name',
        'tls',
        'netns',
        network,
      ])
      execFileSync('ip', ['addr', 'add', '10.97.213.1/30', 'dev', 'ingot-tls'])
      execFileSync('ip', ['link', 'set', 'ingot-tls', 'up'])
      execFileSync('ip', ['-n', network, 'addr', 'add', `${address}/30`, 'dev', 'tls'])
      execFileSync('ip', ['-n', network, 'link', 'set', 'tls', 'up'])
      const files = [
        '--tlscacert',
        `${dir}/ca.pem`,
        '--tlscert',
        `${dir}/server.pem`,
        '--tlskey',
        `${dir}/server.key`,
      ]
      return ['--host', `tcp://${address}:2376`, '--tlsverify', ...files]
    })
    onTestFinished(() => engine.discard(), 60_000)
    const tls = (client: string, authority = 'ca') => ({
      address: `tcp://${address}:2376`,
      tls: {
        caFile: join(folder, `${authority}.pem`),
        certFile: join(folder, `${client}.pem`),
        keyFile: join(folder, `${client}.key`),
      },
    })
    const { running, ran, shell, enter, driver, value } = await openDocker(engine, { engine: tls('client') })
    const ref = await running({ env: { WHO: 'over TLS' } })
    expect((await ran(ref, ['printenv', 'WHO'])).stdout).toBe('over TLS\n')
    expect(await enter(await shell(ref), 'echo "<$WHO>"')).toContain('<over TLS>')
    await value(() => driver().files(ref).stat('/root'))
    expect((await value(() => driver().stats(ref))).processor).not.toBeNull()
    await expect(openEngine(tls('stranger')).calls.ping()).rejects.toThrow(/certificate|alert|reset|hang up/i)
    await expect(openEngine(tls('client', 'other')).calls.ping()).rejects.toThrow(
      /certificate|self.signed|verify/i,
    )
  })
})

/** An authority with a server and a client, and another one with a client of its own. */
function certificates(dir: string, address: string): void {
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
  const signed = (name: string, authority: string, extension: string) =>
    execSync(
      `openssl req -x509 ${key} -subj /CN=${name} -CA ${authority}.pem -CAkey ${authority}.key -addext '${extension}' -addext basicConstraints=critical,CA:FALSE -keyout ${name}.key -out ${name}.pem`,
      { cwd: dir, stdio: 'pipe' },
    )
  for (const name of ['ca', 'other'])
    execSync(`openssl req -x509 ${key} -subj /CN=${name} -keyout ${name}.key -out ${name}.pem`, {
      cwd: dir,
      stdio: 'pipe',
    })
  signed('server', 'ca', `subjectAltName=IP:${address}`)
  signed('client', 'ca', 'extendedKeyUsage=clientAuth')
  signed('stranger', 'other', 'extendedKeyUsage=clientAuth')
}
