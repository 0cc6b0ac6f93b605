/**
 * The export against the rules of FOCUS 1.2: https://focus.finops.org/focus-specification/v1-2/ (columns, their feature
 * levels, null rules and allowed values).
 */
import { parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { focusColumns } from './export-focus.ts'

const server = useTestServer({ env: { INGOT_INVOICE_NAME: 'Cloud GmbH' } })
const day = 86_400_000

/** Feature level `Mandatory` in the dataset Cost and Usage. */
const mandatory = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ContractedCost',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ServiceCategory',
  'ServiceName',
]
const mayBeNull = new Set([
  'ChargeClass',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedUnitPrice',
  'InvoiceId',
  'ListUnitPrice',
  'PricingCategory',
  'PricingQuantity',
  'PricingUnit',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'SkuId',
  'SkuMeter',
  'SkuPriceId',
])
const allowed: Readonly<Record<string, readonly string[]>> = {
  BillingCurrency: ['USD'],
  ChargeCategory: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'],
  ChargeClass: ['', 'Correction'],
  ChargeFrequency: ['One-Time', 'Recurring', 'Usage-Based'],
  PricingCategory: ['', 'Standard', 'Dynamic', 'Committed', 'Other'],
  ServiceCategory: ['Compute', 'Other'],
  ServiceSubcategory: ['Virtual Machines', 'Other (Other)'],
}
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const decimal = /^-?\d+(\.\d+)?$/

type Row = Readonly<Record<string, string>>

/** No cell of these bills holds a comma or a quote, but for the descriptions of deploys. */
async function focusOf(user: TestUser): Promise<Row[]> {
  const text = await (await user.client.billing.export({ format: 'focus' })).text()
  const [head, ...lines] = text.split('\r\n').slice(0, -1)
  const names = head!.split(',')
  expect(names).toEqual(Object.keys(focusColumns))
  return lines.map(line => {
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      match => match[1] ?? match[2]!,
    )
    expect(cells).toHaveLength(names.length)
    return Object.fromEntries(names.map((name, n) => [name, cells[n]!]))
  })
}

test('the file has every mandatory column', () => {
  expect(Object.keys(focusColumns)).toEqual(expect.arrayContaining(mandatory))
  expect(Object.keys(focusColumns).filter(name => !/^([A-Z][a-z]+)+$/.test(name))).toEqual([])
})

test('each charge is a row that keeps the rules, and they add up to what the wallet paid', async () => {
  const user = await server.user('2000')
  const { id } = await user.client.instances.create(a40({ name: 'box' }))
  const term = await user.client.instances.create(
    a40({ name: 'term', billing_period: '1year', start: false }),
  )
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  await server.advance(3 * 3_600_000)
  await user.client.instances.stop({ id })
  await sql`select debit_wallet(${user.id}, 500000, 'A correction', ${newId()}, ${server.services.clock.iso()})`.execute(
    server.owner,
  )
  const month = server.services.clock.iso().slice(0, 7)
  await server.advance(32 * day)
  await user.client.invoices.issue({ month })
  await user.client.instances.delete({ id: term.id })
  await server.advance(32 * day)
  await user.client.invoices.issue({
    month: new Date(server.services.clock.now() - 32 * day).toISOString().slice(0, 7),
  })
  await user.client.instances.create(a40({ name: 'late', start: false }))

  const rows = await focusOf(user)
  for (const row of rows) {
    const usage = row['ChargeCategory'] === 'Usage'
    const correction = row['ChargeClass'] === 'Correction'
    for (const [name, value] of Object.entries(row)) {
      if (value === '') expect(mayBeNull, `${name} of ${row['ChargeDescription']}`).toContain(name)
      if (allowed[name]) expect(allowed[name]).toContain(value)
      if (/(Cost|Quantity|UnitPrice)$/.test(name) && value) expect(value).toMatch(decimal)
      if (/Period(Start|End)$/.test(name)) expect(value).toMatch(utc)
    }
    expect(row['BillingPeriodStart']! < row['BillingPeriodEnd']!).toBe(true)
    expect(row['ChargePeriodStart']! < row['ChargePeriodEnd']!).toBe(true)
    expect(row['InvoiceIssuerName']).toBe('Cloud GmbH')
    // A quantity and a price where something was bought or used, and nothing is corrected.
    const isPriced = (usage || row['ChargeCategory'] === 'Purchase') && !correction
    for (const name of [
      'PricingQuantity',
      'PricingUnit',
      'ListUnitPrice',
      'ContractedUnitPrice',
      'PricingCategory',
    ])
      expect(row[name] !== '', name).toBe(isPriced)
    for (const name of ['ConsumedQuantity', 'ConsumedUnit'])
      expect(row[name] !== '', name).toBe(usage && !correction)
    if (isPriced)
      expect(Number(row['ListUnitPrice']) * Number(row['PricingQuantity'])).toBeCloseTo(
        Number(row['ListCost']),
        5,
      )
  }
  const kinds = rows.map(row => [
    row['ResourceName'],
    row['ChargeCategory'],
    row['ChargeClass'],
    row['InvoiceId'] !== '',
  ])
  expect(kinds).toContainEqual(['box', 'Usage', '', true])
  expect(kinds).toContainEqual(['box', 'Purchase', '', true])
  expect(kinds).toContainEqual(['', 'Adjustment', '', true])
  expect(kinds).toContainEqual(['term', 'Purchase', 'Correction', true])
  expect(kinds).toContainEqual(['late', 'Purchase', '', false])

  const lines = (await user.client.billing.list({ limit: 100 })).items.filter(({ kind }) => kind !== 'credit')
  const paid = lines.reduce((sum, { amount }) => sum - parseUsd(amount), 0n)
  expect(rows.reduce((sum, row) => sum + parseUsd(row['BilledCost']!), 0n)).toBe(paid)
  const invoices = (await user.client.invoices.list()).items
  for (const { id: invoiceId, number } of invoices) {
    const invoice = await user.client.invoices.get({ id: invoiceId })
    const ofIt = rows.filter(row => row['InvoiceId'] === number)
    expect(
      ofIt.reduce((sum, row) => sum + parseUsd(row['BilledCost']!), 0n),
      number,
    ).toBe(parseUsd(invoice.subtotal))
  }
  expect(invoices.map(({ kind }) => kind)).toContain('credit_note')
})
