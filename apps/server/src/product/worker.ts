/** Every loop of the worker. */
import { noticeWork } from '../accounts/notice-work.ts'
import { defaultSettings } from '../auth/settings.ts'
import { openSms } from '../auth/letters/sms-sender.ts'
import { startUpkeep } from '../auth/upkeep.ts'
import { settleWork } from '../billing/settle-work.ts'
import { startIdleChecks } from '../instances/auto-shutdown.ts'
import { instanceWork } from '../instances/reconcile/work.ts'
import { sweepOrphans } from '../instances/reconcile/sweep.ts'
import type { Services } from './services.ts'
import { startChecks } from '../site/check.ts'
import { openCursor, scanWork } from '../wallet/scan-work.ts'
import { type Loop, startLoop } from '../worker/loop.ts'
import { mailWork } from '../worker/mail.ts'

export interface Worker {
  /** Takes no more work and waits for what is in hand. */
  stop(): Promise<void>
}

const cursorRetryMs = 5_000

export function startWorker(services: Services): Worker {
  const { config, database, vault, log } = services
  const settings = defaultSettings(config)
  const sms = openSms(config.sms, database, vault)
  const loops: Loop[] = [
    startLoop(instanceWork(services), services),
    startLoop(settleWork(services), services),
    startLoop(scanWork(services), services),
    startLoop(noticeWork({ ...services, settings, sms, siteUrl: config.publicUrl }), services),
  ]
  if (config.smtp) loops.push(startLoop(mailWork(config.smtp, vault), services))
  const checks = startChecks(services)
  const idleChecks = startIdleChecks(services)
  const stopUpkeep = startUpkeep(services, settings.accessTokenSeconds)
  const stopping = new AbortController()
  const opening = openCursorWhenReachable(services, stopping.signal)
  const sweeping = sweepOrphans(services).catch(error => log.error({ err: error }, 'orphans were not swept'))
  return {
    async stop() {
      stopping.abort()
      await Promise.all([
        ...loops.map(loop => loop.stop()),
        checks.stop(),
        idleChecks.stop(),
        stopUpkeep(),
        opening,
        sweeping,
      ])
    },
  }
}

/** A chain that cannot be reached delays deposits, nothing else. */
async function openCursorWhenReachable(services: Services, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await openCursor(services)
      services.signals.send('chain')
      return
    } catch (error) {
      services.log.error({ err: error }, 'the chain cannot be reached; no deposit address is given out yet')
      await new Promise(resolve => {
        const timer = setTimeout(resolve, cursorRetryMs)
        signal.addEventListener('abort', () => (clearTimeout(timer), resolve(null)), { once: true })
      })
    }
  }
}
