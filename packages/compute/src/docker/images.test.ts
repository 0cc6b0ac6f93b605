/** Only names reach the engine, and no registry holds up more than its own image. */
import fc from 'fast-check'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openEngine } from './engine.ts'
import { createImages, isImageName } from './images.ts'
import { namesOf } from './names.ts'

it('names of images are told from everything else', () => {
  const digest = `@sha256:${'a'.repeat(64)}`
  for (const name of [
    'pytorch',
    'nvidia/cuda:12.2.0-devel-ubuntu22.04',
    'ghcr.io/vllm-project/vllm-openai:v0.9',
    'Registry.Example.com:5000/a/b__c/d-e:latest',
    `ubuntu${digest}`,
    `ubuntu:24.04${digest}`,
  ])
    expect(isImageName(name), name).toBe(true)
  for (const name of [
    '',
    'Not A Name',
    '../containers/x',
    'a/../../b',
    'a//b',
    '/a',
    'a/',
    'a?x=1',
    'a#b',
    'a%2fb',
    'a\n',
  ])
    expect(isImageName(name), name).toBe(false)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      if (isImageName(text)) expect(text).toMatch(/^[\w.:/@-]+$/)
      expect(isImageName(`a/../${text}`)).toBe(false)
    }),
  )
})

it('a name however long is judged at once', () => {
  const before = performance.now()
  for (const text of ['a'.repeat(1e6), 'a-'.repeat(249), '-'.repeat(499), 'a.'.repeat(249)]) isImageName(text)
  expect(performance.now() - before).toBeLessThan(2_000)
})

/** It has no image, and its registries say one word and no more. */
async function silentEngine(silentMs: number) {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-silent-'))
  let pulls = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.writeHead(404).end('{"message":"none"}')
    pulls++
    // One says nothing at all.
    if (request.url!.includes('mute')) return undefined
    response.write('{"status":"Downloading","id":"layer","progressDetail":{"current":3,"total":7}}\n')
    return undefined
  })
  await once(server.listen(join(dir, 'socket')), 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    rmSync(dir, { recursive: true })
  })
  const engine = openEngine({ address: `unix://${dir}/socket` })
  const images = createImages({ engine, names: namesOf('silent'), registries: [], silentMs, log: () => {} })
  const find = (image: string, tenant = 'anna') => images.find({ image, tenant, credentials: null })
  return { find, pulls: () => pulls }
}

it('a registry that falls silent is let go of, and what came until then was told', async () => {
  const { find } = await silentEngine(500)
  expect(await find('some:1')).toMatchObject({ kind: 'not_yet' })
  await expect
    .poll(() => find('some:1'))
    .toMatchObject({ progress: { what: 'pulling_image', doneBytes: 3, totalBytes: 7 } })
  await expect
    .poll(() => find('some:1'), { timeout: 5_000 })
    .toMatchObject({ failure: 'transient', message: 'The image’s registry can’t be reached right now.' })
  await expect.poll(() => find('mute:1'), { timeout: 5_000 }).toMatchObject({ failure: 'transient' })
})

it('4 images of one customer are pulled at once, and 16 of all; further ones wait', async () => {
  const { find, pulls } = await silentEngine(60_000)
  for (let n = 0; n < 10; n++) expect(await find(`some:${n}`)).toMatchObject({ kind: 'not_yet' })
  await expect.poll(pulls).toBe(4)
  for (let n = 0; n < 20; n++) await find(`other:${n}`, `tenant-${n}`)
  await expect.poll(pulls).toBe(16)
})
