/** What goes on in the background: a line for each noun. */
import { noticeWork } from '../accounts/notice-work.ts'
import { startNightlyAudit } from '../admin/nightly-audit.ts'
import { defaultSettings } from '../auth/settings.ts'
import { openSms } from '../auth/letters/sms-sender.ts'
import { startUpkeep } from '../auth/upkeep.ts'
import { invoiceWork } from '../billing/invoices/invoice-work.ts'
import { startUploadSweep } from '../files/drop-upload.ts'
import { instanceBackground } from '../instances/background.ts'
import { startInventories } from '../catalog/inventory.ts'
import { settleWork } from '../ledger/settle-work.ts'
import type { Services } from './services.ts'
import { startRetention } from './retention.ts'
import { startChecks } from '../site/start-checks.ts'
import { walletBackground } from '../wallet/background.ts'
import { startBatches } from '../worker/batches.ts'
import { startLoop } from '../worker/loop.ts'
import { mailWork } from '../worker/mail-work.ts'
import { startRollUp } from '../worker/roll-up.ts'
import { type Running, runTogether } from '../worker/running.ts'

export function startWorker(services: Services): Running {
  const { config, database, vault } = services
  const settings = defaultSettings(config)
  const sms = openSms(config.sms, database, vault)
  return runTogether(
    ...(config.smtp ? [startLoop(mailWork(config.smtp, vault), services)] : []),
    startUpkeep(services, settings.accessTokenSeconds),
    walletBackground(services),
    startInventories(services),
    instanceBackground(services),
    startBatches(settleWork(services), services),
    startBatches(invoiceWork(services), services),
    startLoop(noticeWork({ ...services, settings, sms, siteUrl: config.publicUrl }), services),
    startRollUp(services, 'roll_up_spending'),
    startRollUp(services, 'roll_up_facts'),
    startChecks(services),
    startNightlyAudit(services),
    startRetention(services),
    startUploadSweep(services),
  )
}
