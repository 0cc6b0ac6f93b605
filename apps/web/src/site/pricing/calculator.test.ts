import {
  dataStorageGb,
  deployTotalMicro,
  gpuCounts,
  gpuListing,
  gpuTypes,
  hourlyCostMicro,
  systemStorageGb,
} from '@ingot/contracts/catalog'
import { parseUsd } from '@ingot/contracts/money'
import { describe, expect, it } from 'vitest'
import {
  type Choice,
  costs,
  defaultChoice,
  maxHours,
  readChoice,
  termNote,
  writeChoice,
} from './calculator.ts'

const all: Choice[] = gpuTypes.flatMap(gpu =>
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
    for (const choice of all) expect(readChoice(writeChoice(choice))).toEqual(choice)
  })
  it('is empty for the default', () => expect(String(writeChoice(defaultChoice))).toBe(''))
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
    expect(readChoice(new URLSearchParams(text))).toEqual(defaultChoice),
  )
})

describe('what it costs', () => {
  it('is what the catalogue charges', () => {
    for (const choice of all) {
      const configuration = {
        gpu_type: choice.gpu,
        gpu_count: choice.count,
        system_storage_gb: choice.system,
        data_storage_gb: choice.data,
      }
      const { hourly, total } = costs(choice, gpuListing())
      expect(hourly).toBe(hourlyCostMicro(configuration))
      expect(total.hourly).toBe(hourly * BigInt(choice.hours))
      expect(total['3month']).toBe(deployTotalMicro(configuration, '3month'))
      expect(total['1year']).toBe(deployTotalMicro(configuration, '1year'))
    }
  })
  it('is $4.10 for one H100 and one hour', () => {
    const { total } = costs({ ...defaultChoice, gpu: 'H100', hours: 1 }, gpuListing())
    expect(total).toEqual({
      hourly: parseUsd('4.10'),
      '3month': parseUsd('7270'),
      '1year': parseUsd('17958'),
    })
  })
  it('breaks even at the first hour at which a term costs no more', () => {
    for (const choice of all) {
      const { hourly, total, evenAt } = costs(choice, gpuListing())
      for (const term of ['3month', '1year'] as const) {
        const even = evenAt[term]
        if (even === null) continue
        expect(hourly * BigInt(even)).toBeGreaterThanOrEqual(total[term])
        expect(hourly * BigInt(even - 1)).toBeLessThan(total[term])
      }
    }
  })
  it('names the cheapest way that lasts as long', () => {
    expect(costs({ ...defaultChoice, hours: 160 }, gpuListing()).cheapest).toBe('hourly')
    expect(costs({ ...defaultChoice, hours: 2160 }, gpuListing()).cheapest).toBe('3month')
    expect(costs({ ...defaultChoice, hours: 2161 }, gpuListing()).cheapest).toBe('hourly')
    expect(costs({ ...defaultChoice, hours: maxHours }, gpuListing()).cheapest).toBe('1year')
  })
  it('says when a term ends too soon', () => {
    const choice = { ...defaultChoice, hours: 3000 }
    expect(termNote(costs(choice, gpuListing()), '3month', choice.hours)).toMatch(/^Ends after 2,160 hours/)
    expect(termNote(costs(choice, gpuListing()), '1year', choice.hours)).toMatch(/from 2,600 hours on/)
  })
})
