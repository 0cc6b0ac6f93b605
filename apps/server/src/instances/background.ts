import { startLoop } from '../worker/loop.ts'
import { type Running, runTogether, startRunning } from '../worker/running.ts'
import { type IdleNeeds, startIdleChecks } from './auto-shutdown.ts'
import { sweepOrphans, type SweepNeeds } from './reconcile/sweep-orphans.ts'
import { instanceWork, type ReconcileNeeds } from './reconcile/work.ts'

/** What instances do by themselves; orphans are swept once, at the start. */
export const instanceBackground = (needs: ReconcileNeeds & IdleNeeds & SweepNeeds): Running =>
  runTogether(
    startLoop(instanceWork(needs), needs),
    startIdleChecks(needs),
    startRunning(async () => {
      await sweepOrphans(needs).catch(error => needs.log.error({ err: error }, 'orphans were not swept'))
    }),
  )
