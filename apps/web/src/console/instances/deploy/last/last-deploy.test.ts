import { deployDefaults } from '@ingot/contracts/catalog'
import { specifiedGpus, specifiedRegions } from '@ingot/contracts/test-catalog'
import { expect, it } from 'vitest'
import { readDeploySearch } from '../deploy-search.ts'
import { freshSearch, goneTexts, isBlank, lastDeployOf, readLastDeploy } from './last-deploy.ts'

const onSale = { gpus: specifiedGpus, regions: specifiedRegions.map(id => ({ id })) }
const chosen = {
  templateId: 't',
  name: 'mine',
  budget: '50',
  gpu_type: 'H100',
  gpu_count: '2',
  region: 'EU-West',
  billing_period: '1year',
  on_term_end: 'stop',
  ssh_keys: 'a,b',
  ports: '8000',
}

it('keeps card, region, template, disk, period and keys, and nothing that names or limits one instance', () => {
  const last = lastDeployOf(readDeploySearch(chosen, onSale))
  const { templateId, name: _name, budget: _budget, ports: _ports, ...choices } = chosen
  expect(last).toEqual({ templateId, choices })
  expect(readLastDeploy(JSON.stringify(last))).toEqual(last)
  expect(lastDeployOf(readDeploySearch({ ...chosen, templateKey: 'k' }, onSale)).templateId).toBeNull()
})

it('takes nothing from a text that it did not write', () => {
  expect(readLastDeploy(null)).toBeNull()
  expect(readLastDeploy('{')).toBeNull()
  expect(readLastDeploy('null')).toBeNull()
  expect(
    readLastDeploy('{"templateId":7,"choices":{"gpu_type":{},"region":"EU-West","budget":"9","deploy":"1"}}'),
  ).toEqual({ templateId: null, choices: { region: 'EU-West' } })
})

it('chooses beforehand only where the address says nothing by itself', () => {
  expect(isBlank({ templateId: 't', templateName: 'PyTorch', name: 'a' })).toBe(true)
  expect(isBlank({ templateId: 't', gpu_count: '2' })).toBe(false)
  expect(isBlank({ templateId: 't', step: '2' })).toBe(false)
  expect(isBlank({ templateId: 't', ...freshSearch })).toBe(false)
})

it('says what cannot be chosen any more', () => {
  const search = { templateId: 't', gpu_type: 'B200', region: 'Moon' }
  const { choices } = readDeploySearch(search, onSale)
  expect(choices).toMatchObject(deployDefaults)
  expect(goneTexts(search, onSale, choices)).toEqual([
    'B200 is not on sale any more: A40 is chosen instead.',
    'Moon is not offered any more: US-East is chosen instead.',
  ])
  expect(goneTexts({ gpu_type: 'H100' }, onSale, choices)).toEqual([])
})
