import { startLoop } from '../worker/loop.ts'
import { type Running, runTogether, startRunning } from '../worker/running.ts'
import { type CursorNeeds, openCursor } from './open-cursor.ts'
import { startReconciling } from './reconcile.ts'
import { type ScanNeeds, scanWork } from './scan-work.ts'

/** What the wallet does by itself. */
export const walletBackground = (needs: ScanNeeds & CursorNeeds): Running =>
  runTogether(
    startLoop(scanWork(needs), needs),
    startRunning(signal => openCursor(needs, signal)),
    startReconciling(needs),
  )
