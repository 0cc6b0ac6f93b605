/** What one instance has cost up to this moment, as the ledger has it. */
import * as z from 'zod/mini'
import { id, operation, timestamp, usd } from '../operation.ts'

export const instanceCosts = z.object({
  at: timestamp,
  /** This run up to `at`, whether it was prepaid or not. What a term pays for costs nothing here. Null while it does not run. */
  run: z.nullable(usd),
  /** Since midnight (UTC), what has accrued included and what was returned taken off. */
  today: usd,
  /** What each further hour costs from `at` on: nothing while it does not run or a term pays for it. */
  drawing_per_hour: usd,
})
export type InstanceCosts = z.infer<typeof instanceCosts>

export const costs = {
  costs: operation({
    id: 'getInstanceCosts',
    method: 'GET',
    path: '/v1/instances/{id}/costs',
    who: 'user',
    actable: true,
    summary: 'What this run and this day (UTC) of it have cost up to now, settled or not',
    input: z.object({ id }),
    output: instanceCosts,
    status: 200,
    errors: ['not_found'],
  }),
}
