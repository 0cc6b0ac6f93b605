/** A thread that makes one PDF after the other: a long invoice takes longer than a request may hold up all others. */
import { parentPort } from 'node:worker_threads'
import type { Invoice } from '@ingot/contracts/invoices'
import { invoicePdf } from './invoice-pdf.ts'

export type PdfAnswer = { readonly bytes: Uint8Array } | { readonly error: string }

parentPort!.on('message', async (invoice: Invoice) => {
  const answer: PdfAnswer = await invoicePdf(invoice).then(
    bytes => ({ bytes }),
    (error: unknown) => ({ error: String((error as Error).stack) }),
  )
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  parentPort!.postMessage(answer)
})
