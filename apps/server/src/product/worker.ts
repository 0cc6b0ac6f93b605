/** What goes on in the background: a line for each noun. */
import { noticeWork } from '../accounts/notice-work.ts'
import { startActingEnds } from '../admin/acting/end-lapsed.ts'
import { startNightlyAudit } from '../admin/nightly-audit.ts'
import { defaultSettings } from '../auth/settings.ts'
import { openSms } from '../auth/letters/sms-sender.ts'
import { startUpkeep } from '../auth/upkeep.ts'
import { invoiceWork } from '../billing/invoices/invoice-work.ts'
import { startUploadSweep } from '../files/drop-upload.ts'
import { importWork } from '../files/imports/work.ts'
import { instanceBackground } from '../instances/background.ts'
import { startInventories } from '../catalog/inventory.ts'
import { settleWork } from '../ledger/settle-work.ts'
import { startDrains } from '../machines/drain-work.ts'
import type { Services } from './services.ts'
import { startRetention } from './retention.ts'
import { startChecks } from '../site/start-checks.ts'
import { startAttachmentSweep } from '../support/attachments.ts'
import { replyWork } from '../support/replies/work.ts'
import { stopForVolume } from '../instances/volume/stop-for-volume.ts'
import { snapshotWork } from '../volumes/snapshots/work.ts'
import { stopWork } from '../people/stop-work.ts'
import { volumeWork } from '../volumes/work.ts'
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
    startLoop(
      volumeWork({ ...services, stopHolder: (tx, ...which) => stopForVolume(tx, services, ...which) }),
      services,
    ),
    startLoop(snapshotWork(services), services),
    startLoop(stopWork(services), services),
    startLoop(noticeWork({ ...services, settings, sms, siteUrl: config.publicUrl }), services),
    startRollUp(services, 'roll_up_spending'),
    startRollUp(services, 'roll_up_facts'),
    // Of all customers: what is newer is read by each page of administrators.
    startRollUp(services, 'roll_up_money', 60_000),
    startChecks(services),
    startNightlyAudit(services),
    startActingEnds(services),
    startRetention(services),
    startUploadSweep(services),
    startAttachmentSweep(services),
    startDrains(services),
    startLoop(importWork(services), services),
    startLoop(replyWork(services), services),
  )
}
