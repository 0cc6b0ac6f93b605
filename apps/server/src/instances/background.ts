import { startLoop } from '../worker/loop.ts'
import { type Running, runTogether } from '../worker/running.ts'
import { type IdleNeeds, startIdleChecks } from './idle/auto-shutdown.ts'
import { type CountdownNeeds, startCountdowns } from './countdowns.ts'
import { missedWork } from './reconcile/missed-work.ts'
import { openRounds, roundWork } from './reconcile/round-work.ts'
import { instanceWork, type ReconcileNeeds } from './reconcile/work.ts'
import { type QueueNeeds, startQueue } from './queue/serve-queue.ts'
import { scheduleWork } from './schedules/schedule-work.ts'
import { type CollectNeeds, startMetrics } from './watching/collect.ts'

/** What instances do by themselves: commands, looks at all that runs and at what they missed, schedules, looks at what is idle, and at what it uses. */
export const instanceBackground = (
  needs: ReconcileNeeds & IdleNeeds & CountdownNeeds & CollectNeeds & QueueNeeds,
): Running =>
  runTogether(
    startLoop(instanceWork(needs), needs),
    startLoop(roundWork(needs), needs),
    startLoop(missedWork(needs), needs),
    startLoop(scheduleWork(needs), needs),
    startIdleChecks(needs),
    startCountdowns(needs),
    startMetrics(needs),
    startQueue(needs),
    openRounds(needs),
  )
