import type { RowMakers } from '../http/test-owner.ts'

export const rows: RowMakers = {
  sessions: async ({ signIn }) => (await signIn()).sessionId,
}
