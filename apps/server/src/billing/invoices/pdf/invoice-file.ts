/**
 * The PDF of an invoice, made in a thread of its own (`pdf-thread.ts`), which starts when it is first needed and does not
 * keep the process alive. Requests wait their turn; a queue that grows too long refuses.
 */
import { Worker } from 'node:worker_threads'
import type { Invoice } from '@ingot/contracts/invoices'
import { IngotError } from '@ingot/contracts/errors'
import type { Bytes } from '../../../http/bytes.ts'
import type { PdfAnswer } from './pdf-thread.ts'

const mostWaiting = 200
const waiting: PromiseWithResolvers<Buffer>[] = []
let thread: Worker | null = null

export async function invoiceFile(invoice: Invoice): Promise<Bytes> {
  return { body: await makePdf(invoice), mediaType: 'application/pdf', fileName: `${invoice.number}.pdf` }
}

export function makePdf(invoice: Invoice): Promise<Buffer> {
  if (waiting.length >= mostWaiting)
    throw new IngotError('unavailable', { message: 'Too many PDFs are being made. Try again shortly' })
  const job = Promise.withResolvers<Buffer>()
  waiting.push(job)
  thread ??= startThread()
  thread.ref()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  thread.postMessage(invoice)
  return job.promise
}

function startThread(): Worker {
  const worker = new Worker(new URL('pdf-thread.ts', import.meta.url))
  worker.on('message', (answer: PdfAnswer | object) => {
    // Under `node --watch` the loader of each thread reports its imports the same way.
    if (!('bytes' in answer) && !('error' in answer)) return
    const job = waiting.shift()!
    if (!waiting.length) worker.unref()
    if ('error' in answer) job.reject(new Error(String(answer.error)))
    else job.resolve(Buffer.from(answer.bytes))
  })
  worker.on('error', error => {
    thread = null
    for (const job of waiting.splice(0)) job.reject(error)
  })
  return worker
}
