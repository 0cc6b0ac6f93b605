import type { RowMaker } from '../product/test-server.ts'

/** For the ownership test, by the segment of the path: makes a row of the owner's and returns its id. */
export const rows: Readonly<Record<string, RowMaker>> = {
  sessions: async ({ id }, server) => (await server.signIn(id)).sessionId,
}
