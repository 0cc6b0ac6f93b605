import { deployDefaults } from '@ingot/contracts/catalog'
import { expect, test } from 'vitest'
import { deploySearchFor, readDeploySearch } from './deploy-search.ts'

test('an address that names only a template stands for the defaults, step 1', () => {
  expect(readDeploySearch({ templateId: 't' })).toMatchObject({
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
    start: false,
    auto_shutdown: 'off',
  } as const
  expect(readDeploySearch({ templateId: 't', step: '2', ...deploySearchFor(choices) })).toMatchObject({
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
  expect(readDeploySearch({ templateId: 't', auto_shutdown: '15' }).choices.auto_shutdown).toBe(15)
  expect(readDeploySearch({ templateId: 't', auto_shutdown: '16' }).choices.auto_shutdown).toBeUndefined()
})

test('what is not for sale counts as the default', () => {
  const search = {
    gpu_type: 'B200',
    gpu_count: '3',
    region: 'Moon',
    data_storage_gb: '-50',
    billing_period: 'weekly',
  }
  expect(readDeploySearch({ templateId: 't', ...search }).choices).toMatchObject(deployDefaults)
})

test('step 2 needs a name that is more than blanks', () => {
  expect(readDeploySearch({ templateId: 't', step: '2', name: '  ' }).step).toBe(1)
  expect(readDeploySearch({ templateId: 't', step: '2', name: 'a' }).step).toBe(2)
})
