import { deployDefaults } from '@ingot/contracts/catalog'
import { specifiedGpus, specifiedRegions } from '@ingot/contracts/test-catalog'
import { expect, test } from 'vitest'
import { deploySearchFor, readDeploySearch } from './deploy-search.ts'

const onSale = { gpus: specifiedGpus, regions: specifiedRegions.map(id => ({ id })) }
const read = (search: Record<string, string | undefined>, sold = onSale) => readDeploySearch(search, sold)

test('an address that names only a template stands for the defaults, step 1', () => {
  expect(read({ templateId: 't' })).toMatchObject({
    templateId: 't',
    step: 1,
    choices: { ...deployDefaults, name: '', start: true },
  })
})

test('every choice survives the address', () => {
  const choices = {
    name: 'llama ft',
    gpu_type: 'RTX 4090',
    gpu_count: 8,
    region: 'Middle-East',
    system_storage_gb: 200,
    data_storage_gb: 1000,
    billing_period: '1year',
    on_term_end: 'stop',
    start: false,
    auto_shutdown: 'off',
  } as const
  expect(read({ templateId: 't', step: '2', ...deploySearchFor(choices) })).toMatchObject({
    step: 2,
    choices,
  })
})

test('a default is left out of the address, also when it is chosen again', () => {
  expect(deploySearchFor({ gpu_count: 1, region: 'US-East', start: true })).toEqual({
    gpu_count: undefined,
    region: undefined,
    start: undefined,
  })
})

test('auto-shutdown stands in the address only where it was chosen, and only one that can be chosen', () => {
  expect(deploySearchFor({ auto_shutdown: 15 })).toEqual({ auto_shutdown: '15' })
  expect(deploySearchFor({ auto_shutdown: undefined })).toEqual({ auto_shutdown: undefined })
  expect(read({ templateId: 't', auto_shutdown: '15' }).choices.auto_shutdown).toBe(15)
  expect(read({ templateId: 't', auto_shutdown: '16' }).choices.auto_shutdown).toBeUndefined()
})

test('what is not for sale counts as the default', () => {
  const search = {
    gpu_type: 'B200',
    gpu_count: '3',
    region: 'Moon',
    data_storage_gb: '-50',
    billing_period: 'weekly',
  }
  expect(read({ templateId: 't', ...search }).choices).toMatchObject(deployDefaults)
})

test('what is taken off sale while it is being paid for leads back to step 1', () => {
  const paying = { templateId: 't', step: '2', name: 'a', gpu_type: 'H100' }
  expect(read(paying)).toMatchObject({ step: 2, unsoldGpu: null })
  const rest = { ...onSale, gpus: specifiedGpus.filter(gpu => gpu.name !== 'H100') }
  expect(read(paying, rest)).toMatchObject({
    step: 1,
    unsoldGpu: 'H100',
    choices: { gpu_type: 'A40' },
  })
  const { gpu_type: _, ...usual } = paying
  const without = { ...onSale, gpus: specifiedGpus.filter(gpu => gpu.name !== 'A40') }
  expect(read(usual, without)).toMatchObject({
    step: 1,
    unsoldGpu: 'A40',
    choices: { gpu_type: 'RTX 4090' },
  })
  expect(read({ templateId: 't' }, without).unsoldGpu).toBeNull()
  expect(read({ ...usual, gpu_type: 'RTX 4090' }, without).step).toBe(2)
  expect(read({ ...usual, region: 'Moon' })).toMatchObject({ step: 1, choices: { region: 'US-East' } })
})

test('step 2 needs a name that is more than blanks', () => {
  expect(read({ templateId: 't', step: '2', name: '  ' }).step).toBe(1)
  expect(read({ templateId: 't', step: '2', name: 'a' }).step).toBe(2)
})

test('ports stand in the address by number; a list from which nothing is chosen stays one', () => {
  expect(deploySearchFor({ ports: [8000, 8888] })).toEqual({ ports: '8000,8888' })
  expect(read({ templateId: 't', ports: '8000,8888' }).choices.ports).toEqual([8000, 8888])
  expect(read({ templateId: 't', ports: '99999' }).choices.ports).toBeUndefined()
  expect(read({ templateId: 't', ...deploySearchFor({ ssh_keys: [] }) }).choices.ssh_keys).toEqual([])
  expect(
    read({ templateId: 't', ...deploySearchFor({ ssh_keys: undefined }) }).choices.ssh_keys,
  ).toBeUndefined()
})
