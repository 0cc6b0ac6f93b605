/**
 * Hashing in threads of its own, one for each processor and not more than a few: a rush of sign-ins queues here and
 * neither blocks the event loop nor takes the threads that files and signatures need. Threads start when they are first
 * needed and do not keep the process alive.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { HashAnswer, HashTask, HashThread } from './hash-worker.ts'

interface Job extends PromiseWithResolvers<string | boolean> {
  readonly task: HashTask
}

const maxThreads = Math.min(8, availableParallelism())
/**
 * The first thread has its share even of a machine that is busy with something else, so signing in always goes on; the
 * rest take only what nobody wants, so a rush of sign-ins slows no other call.
 */
const firstNice = 10
const restNice = 19
const waiting: Job[] = []
const idle: Worker[] = []
const busy = new Map<Worker, Job>()

export function runHash(task: HashTask): Promise<string | boolean> {
  const job: Job = { task, ...Promise.withResolvers<string | boolean>() }
  waiting.push(job)
  next()
  return job.promise
}

function next(): void {
  if (!waiting.length) return
  const worker = idle.pop() ?? (busy.size < maxThreads ? startWorker() : null)
  if (!worker) return
  const job = waiting.shift()!
  busy.set(worker, job)
  worker.ref()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  worker.postMessage(job.task)
}

const isAnswer = (message: object): message is HashAnswer => 'value' in message || 'error' in message

function startWorker(): Worker {
  const workerData: HashThread = { nice: idle.length + busy.size === 0 ? firstNice : restNice }
  const worker = new Worker(new URL('hash-worker.ts', import.meta.url), { workerData })
  worker.on('message', (answer: HashAnswer | Record<string, unknown>) => {
    // Under `node --watch` the loader of each thread reports its imports the same way.
    if (!isAnswer(answer)) return
    const job = busy.get(worker)!
    busy.delete(worker)
    idle.push(worker)
    worker.unref()
    if ('error' in answer) job.reject(new Error(answer.error))
    else job.resolve(answer.value)
    next()
  })
  worker.on('error', error => {
    busy.get(worker)?.reject(error)
    busy.delete(worker)
    idle.splice(0, Infinity, ...idle.filter(other => other !== worker))
    next()
  })
  return worker
}
