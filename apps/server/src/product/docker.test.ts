/**
 * The product on a real container engine, from the deploy to the delete: what runs is the template's image, with its
 * command and environment; it outlives the server; a machine whose image can't be had costs nothing and says why.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openEngine } from '@ingot/compute/docker/engine'
import { noEngineReason, startEngine, type TestEngine, testImage } from '@ingot/compute/docker/testing/engine'
import { builtInTemplates } from '@ingot/contracts/templates'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openInstanceShell } from '../../../../bench/shell.ts'
import { readConfig } from '../config.ts'
import { publicDockerSentence } from '../config/variables.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { noClients, runClient } from '../instances/ssh/test-clients.ts'
import { a40 } from '../instances/test-rows.ts'
import { makeKeyPair } from '../ssh/public-key.ts'
import { openServices } from './services.ts'
import { freePort } from './testing/free-port.ts'
import { embeddedUrl, type Product, signIn, startProduct } from './test-process.ts'

const reason = await noEngineReason()
if (reason) console.log(`skipped: the product on docker: ${reason}`)

describe.skipIf(reason)('on a container engine', { timeout: 240_000 }, () => {
  let engine: TestEngine
  let dir: string
  let env: Record<string, string>
  let admin: NonNullable<Product['admin']>
  beforeAll(async () => {
    engine = await startEngine()
    env = {
      INGOT_DRIVERS: `docker:here=${engine.address}`,
      INGOT_REGIONS:
        'US-East=docker:here,US-West=simulated,EU-West=simulated,Asia-Pacific=simulated,Middle-East=simulated',
    }
    dir = await mkdtemp(join(tmpdir(), 'ingot-on-docker-'))
    await chmod(dir, 0o711)
  }, 180_000)
  afterAll(async () => {
    await engine.discard()
    await rm(dir, { recursive: true, force: true })
  }, 60_000)

  test('an instance is deployed, typed into, found again, stopped and deleted, and pays for what it ran', async () => {
    const first = await startProduct({ dir, env })
    admin = first.admin!
    expect(first.output()).toContain('US-East (docker:here)')
    const client = await signIn(first.url, admin)
    const { walletAddress } = await client.wallet.usdtConfig()
    await client.dev.faucet({ address: walletAddress, amount_usdt: '50' })
    await expect
      .poll(async () => Number((await client.wallet.get()).balance_usd), { timeout: 60_000 })
      .toBe(50)

    const database = new pg.Client({ connectionString: embeddedUrl(dir) })
    await database.connect()
    const choose = (image: string, command: string[]) =>
      database.query('update gpu_templates set docker_image = $1, command = $2, env = $3 where id = $4', [
        image,
        command,
        { MODEL: 'small' },
        builtInTemplates[0]!.id,
      ])
    await choose(testImage, ['sh', '-c', 'echo "$MODEL" > /root/model; exec sleep infinity'])
    const { id } = await client.instances.create(a40())
    await expect
      .poll(async () => (await client.instances.get({ id })).status, { timeout: 60_000, interval: 100 })
      .toBe('running')
    const shell = await openInstanceShell(client, first.url, id, 'main')
    // The main program may only have begun.
    shell.type('until cat /root/model; do sleep 0.1; done\n')
    await shell.waitFor('small')
    // What came with the former is not seen again.
    shell.type('ls -d /.ingot && echo "en""ded"\n')
    await shell.waitFor('ended')
    shell.close()

    // It would lead inside.
    await choose('127.0.0.1:1/none:1', ['true'])
    const { id: without } = await client.instances.create(a40())
    await expect
      .poll(async () => (await client.instances.get({ id: without })).status, {
        timeout: 60_000,
        interval: 100,
      })
      .toBe('stopped')
    // It has what it paid, and is told why.
    expect(await client.instances.get({ id: without })).toMatchObject({
      status_reason: 'start_failed',
      status_message: 'The image’s registry has a private address, from which nothing is pulled here.',
      prepaid_remaining: '0.750000',
    })
    await client.instances.delete({ id: without })

    await first.kill()
    const second = await startProduct({ dir, env })
    const again = await signIn(second.url, admin)
    expect((await again.instances.get({ id })).status).toBe('running')
    await again.instances.stop({ id })
    await expect
      .poll(async () => (await again.instances.get({ id })).status, { timeout: 60_000 })
      .toBe('stopped')
    await again.instances.delete({ id })
    const { calls } = openEngine({ address: engine.address })
    await expect
      .poll(async () => (await calls.listContainers({ all: true })).length, { timeout: 30_000 })
      .toBe(0)
    // Of the hour that was paid in advance what was not used has come back.
    const left = Number((await again.wallet.get()).balance_usd)
    expect(left).toBeLessThan(50)
    expect(left).toBeGreaterThan(49.9)
    await database.end()
    expect(await second.stop()).toBe(0)
  })

  test('what a template of one’s own starts there is reached by SSH and at its port', async () => {
    const sshPort = await freePort()
    const product = await startProduct({ dir, env: { ...env, INGOT_SSH_PORT: String(sshPort) } })
    const client = await signIn(product.url, admin)
    const key = makeKeyPair()
    await client.ssh.addKey({ name: 'test', public_key: key.public })
    const { id: templateId } = await client.templates.create({
      name: 'Mine',
      category: 'Base OS',
      docker_image: testImage,
      env: { WORD: 'plain' },
      secrets: { TOKEN: 'sealed' },
      ports: [8000],
      start_command: `exec perl -MIO::Socket::INET -e '${serves}'`,
    })
    const { id } = await client.instances.create(a40({ template_id: templateId }))
    const status = async () => (await client.instances.get({ id })).status
    await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe('running')

    const { user, host_key } = await client.instances.ssh({ id })
    const file = (name: string, text: string) => {
      writeFileSync(join(dir, name), text, { mode: 0o600 })
      return join(dir, name)
    }
    const known = file('known', `[127.0.0.1]:${sshPort} ${host_key}\n`)
    const options = ['StrictHostKeyChecking=yes', 'IdentitiesOnly=yes', 'BatchMode=yes', `Port=${sshPort}`]
    const args = [
      '-F',
      '/dev/null',
      '-i',
      file('key', key.private),
      '-o',
      `UserKnownHostsFile=${known}`,
      ...options.flatMap(option => ['-o', option]),
    ]
    if (!noClients) {
      const ssh = (command: string, input = '') =>
        runClient('ssh', [...args, `${user}@127.0.0.1`, command], { input })
      expect(await ssh('echo "$WORD $TOKEN"; cat > got; exit 7', 'typed')).toMatchObject({
        code: 7,
        out: Buffer.from('plain sealed\n'),
      })
      const large = file('large', 'x'.repeat(3_000_000))
      expect(await runClient('scp', [...args, large, `${user}@127.0.0.1:`])).toMatchObject({
        code: 0,
        err: '',
      })
      expect((await ssh('cat got; wc -c < large')).out.toString()).toBe('typed3000000\n')
    }

    const { url } = await client.instances.updatePort({ id, port: 8000, visibility: 'public' })
    const { host } = new URL(url)
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      get(product.url, { headers: { host } }, resolve).on('error', reject),
    )
    expect(await text(answer)).toBe('served plain')
    await client.instances.delete({ id })
    expect(await product.stop()).toBe(0)
  })

  test('what one instance wrote on a volume another reads byte for byte, over a kill of the server and the deletion of the first', async () => {
    const first = await startProduct({ dir, env })
    let client = await signIn(first.url, admin)
    const instance = async (id: string, status: string) =>
      await expect
        .poll(async () => (await client.instances.get({ id })).status, { timeout: 60_000, interval: 100 })
        .toBe(status)
    const volume = async (id: string, status: string) =>
      await expect
        .poll(async () => (await client.volumes.get({ id })).status, { timeout: 60_000, interval: 100 })
        .toBe(status)
    const { id: templateId } = await client.templates.create({
      name: 'With a volume',
      category: 'Base OS',
      docker_image: testImage,
    })
    /** Runs with the volume, and says `said` in answer to `line`. */
    const withVolume = async (url: string, volumeId: string, line: string, said: string) => {
      const { id } = await client.instances.create(a40({ template_id: templateId }))
      await instance(id, 'running')
      await client.instances.stop({ id })
      await instance(id, 'stopped')
      await client.volumes.attach({ id: volumeId, instance_id: id })
      await client.instances.start({ id })
      await instance(id, 'running')
      await volume(volumeId, 'in-use')
      const shell = await openInstanceShell(client, url, id, 'main')
      shell.type(`${line}\n`)
      await shell.waitFor(said)
      shell.close()
      return id
    }
    const { id: volumeId } = await client.volumes.create({ name: 'data', size_gb: 10, region: 'US-East' })
    await volume(volumeId, 'available')
    expect(await client.volumes.get({ id: volumeId })).toMatchObject({
      enforces_size: true,
      attaches_while_running: false,
      quiesce: 'stopped',
    })
    const write =
      'cd /workspace/data && head -c 300000 /dev/urandom > blob && sha256sum blob > sum && sync && echo "wri""tten"'
    const id = await withVolume(first.url, volumeId, write, 'written')
    await first.kill()
    const second = await startProduct({ dir, env })
    client = await signIn(second.url, admin)
    await client.instances.stop({ id })
    await instance(id, 'stopped')
    await client.volumes.detach({ id: volumeId })
    await volume(volumeId, 'available')
    await client.instances.delete({ id })
    const downloaded = async (path: string) => {
      const { url } = await client.volumes.download({ id: volumeId, path })
      return Buffer.from(await (await fetch(new URL(url, second.url))).arrayBuffer())
    }
    const blob = await downloaded('/blob')
    expect(blob.length).toBe(300_000)
    const sum = createHash('sha256').update(blob).digest('hex')
    expect((await downloaded('/sum')).toString()).toBe(`${sum}  blob\n`)
    const other = await withVolume(second.url, volumeId, 'cd /volumes/data && sha256sum -c sum', 'blob: OK')
    await client.instances.delete({ id: other })
    const { calls } = openEngine({ address: engine.address })
    await expect
      .poll(
        async () =>
          (await calls.listContainers({ all: true })).filter(({ Labels }) => Labels['ingot.instance']).length,
        { timeout: 30_000 },
      )
      .toBe(0)
    await client.volumes.delete({ id: volumeId })
    await expect
      .poll(async () => (await client.volumes.list({})).items, { timeout: 60_000, interval: 100 })
      .toEqual([])
    expect(await second.stop()).toBe(0)
    expect(readdirSync(join(dir, 'docker.here/volumes'))).toEqual([])
  })

  test('on a public address an engine whose machines would reach a neighbour is offered to who insists alone', async () => {
    const network = (...args: string[]) => execFileSync('ip', ['-n', engine.network, ...args])
    network('link', 'add', 'out', 'type', 'bridge')
    network('addr', 'add', '10.99.0.1/24', 'dev', 'out')
    network('link', 'set', 'out', 'up')
    const listener = spawn(
      'ip',
      ['netns', 'exec', engine.network, 'perl', '-MIO::Socket::INET', '-e', listens('10.99.0.1', 5432)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    onTestFinished(() => void listener.kill('SIGKILL'))
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-public-'))
    const opened = async (more: Record<string, string> = {}) => {
      const config = readConfig({
        INGOT_PUBLIC_URL: 'https://gpu.example',
        INGOT_DATA_DIR: dataDir,
        INGOT_SECRET: 'test',
        INGOT_DRIVERS: `docker=${engine.address}`,
        INGOT_SELL_SIMULATED: 'I sell simulated GPUs for real money',
        INGOT_REGIONS: 'US-East=docker,*=simulated',
        ...more,
      })
      const services = await openServices({
        config,
        databaseUrl: database.url,
        log: pino({ level: 'silent' }),
      })
      await services.close()
      return {
        probe: services.probes.find(({ name }) => name === 'docker: reach'),
        isOffered: services.regions.some(({ driver, available }) => driver === 'docker' && available),
      }
    }
    await once(listener.stdout, 'data')
    const wordsOfProbe = /^machines would reach 10\.99\.0\.1:5432/
    expect(await opened()).toMatchObject({ probe: { ok: false, detail: wordsOfProbe }, isOffered: false })
    expect(await opened({ INGOT_PUBLIC_DOCKER: publicDockerSentence })).toMatchObject({
      probe: { ok: false, detail: wordsOfProbe },
      isOffered: true,
    })
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })
})

/** One that answers requests, and one that takes connections: programs for Perl. */
const serves =
  '$l = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1", LocalPort => 8000, ReuseAddr => 1) or die; while ($c = $l->accept) { while (<$c>) { last if /^\\r?$/ } $b = "served $ENV{WORD}"; print $c "HTTP/1.1 200 OK\\r\\nContent-Length: " . length($b) . "\\r\\nConnection: close\\r\\n\\r\\n$b"; close $c }'
const listens = (address: string, port: number) =>
  `my $s = IO::Socket::INET->new(LocalAddr => "${address}", LocalPort => ${port}, Listen => 9) or die; $| = 1; print "up"; while (my $c = $s->accept) { close $c }`
