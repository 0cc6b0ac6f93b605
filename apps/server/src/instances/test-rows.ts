import { a40, type RowMaker } from '../product/test-server.ts'

/** For the ownership test, by the segment of the path: makes a row of the owner's and returns its id. */
export const rows: Readonly<Record<string, RowMaker>> = {
  instances: async ({ client }) => (await client.instances.create(a40({ start: false }))).id,
}
