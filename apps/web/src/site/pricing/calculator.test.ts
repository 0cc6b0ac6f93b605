import { dataStorageGb, gpuCounts, priceOf, systemStorageGb } from '@ingot/contracts/catalog'
import { parseUsd } from '@ingot/contracts/money'
import { specifiedGpus as gpus } from '@ingot/contracts/test-catalog'
import { describe, expect, it } from 'vitest'
import {
  type Choice,
  costs,
  defaultChoice as defaultOf,
  maxHours,
  readChoice,
  termNote,
  writeChoice,
} from './calculator.ts'

const defaultChoice = defaultOf(gpus)
const all: Choice[] = gpus.flatMap(({ name: gpu }) =>
  gpuCounts.flatMap(count =>
    systemStorageGb.flatMap(system =>
      dataStorageGb.map(data => ({
        gpu,
        count,
        system,
        data,
        hours: 1 + ((count * system + data) % maxHours),
      })),
    ),
  ),
)

describe('the choice in the address', () => {
  it('comes back as it was written, for everything on sale', () => {
    for (const choice of all) expect(readChoice(writeChoice(choice, gpus), gpus)).toEqual(choice)
  })
  it('is empty for the default', () => expect(String(writeChoice(defaultChoice, gpus))).toBe(''))
  it.each([
    'gpu=B200',
    'count=3',
    'count=1e1',
    'hours=0',
    'hours=8761',
    'hours=1.5',
    'hours=x',
    'system=41',
    'data=-1',
  ])('falls back to what is on sale: %s', text =>
    expect(readChoice(new URLSearchParams(text), gpus)).toEqual(defaultChoice),
  )
})

it('begins with a GPU that is on sale', () => {
  const without = gpus.filter(gpu => gpu.name !== defaultChoice.gpu)
  expect(defaultOf(without).gpu).toBe('RTX 4090')
  expect(readChoice(new URLSearchParams(`gpu=${defaultChoice.gpu}`), without).gpu).toBe('RTX 4090')
})

describe('what it costs', () => {
  it('is what the catalogue charges', () => {
    for (const choice of all) {
      const gpu = gpus.find(each => each.name === choice.gpu)!
      const configuration = {
        gpu_count: choice.count,
        system_storage_gb: choice.system,
        data_storage_gb: choice.data,
      }
      const { hourly, total } = costs(choice, gpus)
      expect(hourly).toBe(priceOf(gpu, configuration, 'hourly').hourly)
      expect(total.hourly).toBe(hourly * BigInt(choice.hours))
      expect(total['3month']).toBe(priceOf(gpu, configuration, '3month').total)
      expect(total['1year']).toBe(priceOf(gpu, configuration, '1year').total)
    }
  })
  it('is $4.10 for one H100 and one hour', () => {
    const { total } = costs({ ...defaultChoice, gpu: 'H100', hours: 1 }, gpus)
    expect(total).toEqual({
      hourly: parseUsd('4.10'),
      '3month': parseUsd('7270'),
      '1year': parseUsd('17958'),
    })
  })
  it('breaks even at the first hour at which a term costs no more', () => {
    for (const choice of all) {
      const { hourly, total, evenAt } = costs(choice, gpus)
      for (const term of ['3month', '1year'] as const) {
        const even = evenAt[term]
        if (even === null) continue
        expect(hourly * BigInt(even)).toBeGreaterThanOrEqual(total[term])
        expect(hourly * BigInt(even - 1)).toBeLessThan(total[term])
      }
    }
  })
  it('names the cheapest way that lasts as long', () => {
    expect(costs({ ...defaultChoice, hours: 160 }, gpus).cheapest).toBe('hourly')
    expect(costs({ ...defaultChoice, hours: 2160 }, gpus).cheapest).toBe('3month')
    expect(costs({ ...defaultChoice, hours: 2161 }, gpus).cheapest).toBe('hourly')
    expect(costs({ ...defaultChoice, hours: maxHours }, gpus).cheapest).toBe('1year')
  })
  it('says when a term ends too soon', () => {
    const choice = { ...defaultChoice, hours: 3000 }
    expect(termNote(costs(choice, gpus), '3month', choice.hours)).toMatch(/^Ends after 2,160 hours/)
    expect(termNote(costs(choice, gpus), '1year', choice.hours)).toMatch(/from 2,600 hours on/)
  })
})
