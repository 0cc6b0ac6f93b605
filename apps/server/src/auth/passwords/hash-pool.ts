/**
 * Hashes in threads of its own, one for each processor and not more than a few: a rush of sign-ins queues here and
 * neither blocks the event loop nor takes the threads that files and signatures need. Threads start when they are first
 * needed and do not keep the process alive.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { HashAnswer, HashTask, HashThread } from './hash-worker.ts'

interface Job extends PromiseWithResolvers<string | boolean> {
  readonly task: HashTask
}

interface Thread {
  readonly worker: Worker
  jobs: readonly Job[]
  began: number
  /** How long each of its last jobs took; it depends on what else the machine does. */
  msPerJob: number
}

const maxThreads = Math.min(8, availableParallelism())
/**
 * The first thread has its share even of a machine that is busy with something else, so signing in always goes on; the
 * rest take only what nobody wants, so a rush of sign-ins slows no other call.
 */
const firstNice = 10
const restNice = 19
/**
 * While there is a queue, a thread takes as much of its share of it as it hashes in this time, and the callers go on
 * together: they share queries, and the processor changes less often between hashing and everything else, which hashing
 * leaves without its caches.
 */
const togetherMs = 100
const waiting: Job[] = []
const threads = new Set<Thread>()
const idle: Thread[] = []

export function runHash(task: HashTask): Promise<string | boolean> {
  const job: Job = { task, ...Promise.withResolvers<string | boolean>() }
  waiting.push(job)
  next()
  return job.promise
}

function next(): void {
  if (!waiting.length) return
  const thread = idle.pop() ?? (threads.size < maxThreads ? startThread() : null)
  if (!thread) return
  const share = Math.min(Math.ceil(waiting.length / maxThreads), Math.floor(togetherMs / thread.msPerJob))
  thread.jobs = waiting.splice(0, Math.max(1, share))
  thread.began = performance.now()
  thread.worker.ref()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  thread.worker.postMessage(thread.jobs.map(job => job.task))
}

function startThread(): Thread {
  const workerData: HashThread = { nice: threads.size === 0 ? firstNice : restNice }
  const worker = new Worker(new URL('hash-worker.ts', import.meta.url), { workerData })
  const thread: Thread = { worker, jobs: [], began: 0, msPerJob: togetherMs }
  threads.add(thread)
  worker.on('message', (answers: readonly HashAnswer[] | object) => {
    // Under `node --watch` the loader of each thread reports its imports the same way.
    if (!Array.isArray(answers)) return
    const { jobs, began } = thread
    thread.jobs = []
    thread.msPerJob = (performance.now() - began) / jobs.length
    idle.push(thread)
    worker.unref()
    for (const [n, answer] of (answers as readonly HashAnswer[]).entries()) {
      if ('error' in answer) jobs[n]!.reject(new Error(answer.error))
      else jobs[n]!.resolve(answer.value)
    }
    next()
  })
  worker.on('error', error => {
    for (const job of thread.jobs) job.reject(error)
    threads.delete(thread)
    idle.splice(0, Infinity, ...idle.filter(other => other !== thread))
    next()
  })
  return thread
}
