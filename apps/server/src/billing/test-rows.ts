/** A line of somebody's bill, for tests of ownership. */
import type { RowMakers } from '../http/test-owner.ts'

export const rows: RowMakers = {
  billing: async ({ client }) => (await client.billing.list()).items[0]!.id,
}
