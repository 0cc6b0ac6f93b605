/** Only names reach the engine. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isImageName } from './images.ts'

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
  expect(performance.now() - before).toBeLessThan(200)
})
