/** From where images come, with what, and who gets them. */
import { randomBytes } from 'node:crypto'
import { finished } from 'node:stream/promises'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Progress, RegistryCredentials } from '../driver.ts'
import { openEngine } from './engine.ts'
import { familiar, isInside, mayPullFrom, registryOf } from './registries.ts'
import { noEngineReason, startEngine, type TestEngine, testImage } from './testing/engine.ts'
import { clientOf, openDocker } from './testing/machines.ts'
import { noRegistryReason, startRegistry, type TestRegistry } from './testing/registry.ts'

describe('the registry of a name', () => {
  it.each([
    ['ubuntu', null, 'ubuntu:latest'],
    ['nvidia/cuda:12', null, 'nvidia/cuda:12'],
    ['docker.io/library/ubuntu', null, 'ubuntu:latest'],
    ['index.docker.io/nvidia/cuda:12', null, 'nvidia/cuda:12'],
    ['ghcr.io/a/b:1', 'ghcr.io', 'ghcr.io/a/b:1'],
    ['localhost/a', 'localhost', 'localhost/a:latest'],
    ['10.0.0.1:5000/a', '10.0.0.1:5000', '10.0.0.1:5000/a:latest'],
    ['R/a', 'r', 'R/a:latest'],
    ['ubuntu:24.04@sha256:00', null, 'ubuntu@sha256:00'],
  ])('%s', (image, registry, name) => {
    expect(registryOf(image)).toBe(registry)
    expect(familiar(image)).toBe(name)
  })

  it('is refused where it has a private address, however it is written, unless it is listed', async () => {
    for (const host of [
      '127.0.0.1',
      'localhost',
      '127.1',
      '0x7f.0.0.1',
      '2130706433.',
      '10.1.2.3:5000',
      '169.254.169.254',
    ])
      expect(await mayPullFrom(`${host}/a`, []), host).toMatchObject({ kind: 'failed' })
    expect(await mayPullFrom('127.0.0.1:5000/a', ['127.0.0.1:5000'])).toMatchObject({ kind: 'done' })
    expect(await mayPullFrom('127.0.0.1:5001/a', ['127.0.0.1:5000'])).toMatchObject({ failure: 'rejected' })
    const at = (...addresses: string[]) =>
      mayPullFrom('registry.example/a', [], async () => addresses.map(address => ({ address })))
    expect(await at('203.0.113.7', '2001:db8::1')).toMatchObject({ kind: 'done' })
    // One of several is enough.
    expect(await at('203.0.113.7', '192.168.1.1')).toMatchObject({ failure: 'rejected' })
    expect(await at()).toMatchObject({ failure: 'transient' })
    for (const address of ['::1', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '100.64.0.1'])
      expect(isInside(address), address).toBe(true)
  })
})

const reason = (await noEngineReason()) ?? noRegistryReason()
if (reason) console.log(`skipped: registries: ${reason}`)

describe.skipIf(reason)('a registry that wants a password', { timeout: 90_000 }, () => {
  let engine: TestEngine
  let registry: TestRegistry
  beforeAll(async () => {
    if (reason) return
    engine = await startEngine()
    registry = await startRegistry(engine, 5000)
    await registry.push(testImage, 'team/test:1')
    await makeLarge(engine, 'large:1')
    await registry.push('large:1', 'team/large:1')
    await clientOf(engine).getImage('large:1').remove({ force: true })
  }, 180_000)
  afterAll(async () => {
    await registry?.discard()
    await engine?.discard()
  }, 60_000)

  const open = async (registries = [registry.host]) => {
    const opened = await openDocker(engine, { registries })
    const create = (image: string, tenant: string, access: RegistryCredentials | null) => {
      const wanted = {
        ...opened.spec(),
        image: image.startsWith('team/') ? `${registry.host}/${image}` : image,
        tenant,
      }
      return opened.settled(() => opened.driver().create(wanted, wanted.instanceId, access))
    }
    return { ...opened, log: opened.log, create }
  }

  it('gives an image for the right credentials to whoever has them, and to nobody else', async () => {
    const { create, log } = await open()
    const wrong = { username: 'anna', password: 'wrong' }
    expect(await create('team/test:1', 'anna', null)).toMatchObject({
      failure: 'rejected',
      message: /no credentials/,
    })
    expect(await create('team/test:1', 'anna', wrong)).toMatchObject({
      failure: 'rejected',
      message: 'The registry refused the credentials.',
    })
    expect(await create('team/test:1', 'anna', registry.credentials)).toMatchObject({ kind: 'done' })
    // It is on the engine now, and is nobody else's for that: not by its name, its digest, its id or our own name of it.
    expect(await create('team/test:1', 'bert', null)).toMatchObject({ failure: 'rejected' })
    expect(await create('team/test:1', 'bert', wrong)).toMatchObject({ failure: 'rejected' })
    const images = await clientOf(engine).listImages()
    const hidden = images.find(({ RepoTags }) => RepoTags?.some(tag => tag.startsWith('ingot-private:')))!
    const names = [...hidden.RepoTags!.filter(tag => tag !== testImage), hidden.Id.slice(7, 19), hidden.Id]
    for (const name of [...names, ...(hidden.RepoDigests ?? [])])
      expect(await create(name, 'bert', null), name).toMatchObject({ kind: 'failed' })
    expect(images.flatMap(({ RepoTags }) => RepoTags ?? [])).not.toContain(`${registry.host}/team/test:1`)
    // Nothing tells of the password.
    const found = JSON.stringify(await clientOf(engine).listContainers({ all: true }))
    for (const text of [found, log.join('\n')]) expect(text).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZ/)
  })

  it('tells what went wrong in words, and how far it is', async () => {
    const { create, driver, spec } = await open()
    expect(await create('team/none:1', 'anna', registry.credentials)).toMatchObject({
      failure: 'rejected',
      message: 'The image was not found in its registry.',
    })
    const unlisted = await open([])
    expect(await unlisted.create('team/test:1', 'anna', registry.credentials)).toMatchObject({
      failure: 'rejected',
      message: /private address/,
    })
    const nobody = await open(['127.0.0.1:1'])
    expect(await nobody.create('127.0.0.1:1/none:1', 'anna', null)).toMatchObject({
      failure: 'transient',
      message: 'The image’s registry can’t be reached right now.',
    })
    const wanted = { ...spec(), image: `${registry.host}/team/large:1` }
    const told: Progress[] = []
    await expect
      .poll(
        async () => {
          const answer = await driver().create(wanted, wanted.instanceId, registry.credentials)
          if (answer.kind === 'not_yet' && answer.progress) told.push(answer.progress)
          return answer.kind
        },
        { timeout: 60_000, interval: 20 },
      )
      .toBe('done')
    for (const { doneBytes, totalBytes } of told) expect(doneBytes).toBeLessThanOrEqual(totalBytes)
    expect(Math.max(...told.map(({ totalBytes }) => totalBytes))).toBeGreaterThan(largeBytes / 2)
    const seen = told.map(({ doneBytes }) => doneBytes)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  })
})

const largeBytes = 64 * 2 ** 20

async function makeLarge(engine: TestEngine, name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-large-'))
  writeFileSync(join(folder, 'noise'), randomBytes(largeBytes))
  const tar = spawn('tar', ['-c', '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [repo, tag] = name.split(':')
  const report = await openEngine({ address: engine.address }).patient.importImage(tar.stdout, { repo, tag })
  report.resume()
  await finished(report)
  rmSync(folder, { recursive: true })
}
