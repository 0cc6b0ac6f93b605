/** A line of somebody's bill, and an invoice, for tests of ownership. */
import type { RowMakers } from '../http/test-owner.ts'
import { a40 } from '../instances/test-rows.ts'

export const rows: RowMakers = {
  billing: async ({ client }) => (await client.billing.list()).items[0]!.id,
  invoices: async ({ client }) => {
    await client.instances.create(a40({ start: false }))
    const month = (await client.dev.time({})).now.slice(0, 7)
    await client.dev.clock({ advance_ms: 31 * 86_400_000 })
    return (await client.invoices.issue({ month })).items[0]!.id
  },
}
