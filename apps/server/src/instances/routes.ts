import type { instances } from '@ingot/contracts/instances'
import type { Config } from '../config.ts'
import { keepRefusal, NoPlace } from '../catalog/places.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { cloneInstance } from './clone-instance.ts'
import { getInstanceCosts } from './costs.ts'
import { createInstance, type CreateNeeds } from './create-instance.ts'
import { deleteInstance } from './delete-instance.ts'
import { getIdleness, type IdlenessNeeds, listIdle } from './idle/get-idleness.ts'
import { snoozeInstance } from './idle/snooze-instance.ts'
import { getInstance, getInstancesSummary, listInstances } from './queries.ts'
import { deletePortShare, openPort, sharePort } from './ports/enter-port.ts'
import { addPort, deletePort, updatePort } from './ports/manage-ports.ts'
import { listPorts } from './ports/queries.ts'
import { listPlacements } from './placements.ts'
import { leaveInstanceQueue } from './leave-instance-queue.ts'
import { restartInstance } from './restart-instance.ts'
import { scheduleRoutes } from './schedules/routes.ts'
import { changeSsh, getSshAccess, showSshPassword, type SshState } from './ssh/access.ts'
import { startInstance } from './start-instance.ts'
import { stopInstance } from './stop-instance.ts'
import { openTerminal } from './terminal/open-terminal.ts'
import { updateInstance } from './update-instance.ts'
import { listInstanceEvents } from './watching/events.ts'
import { listLoads } from './watching/loads.ts'
import { readLogs } from './watching/logs.ts'
import { getMetrics, getMetricsNow, type WatchNeeds } from './watching/metrics.ts'
import { prometheusText } from './watching/prometheus.ts'
import { createWait, type WaitNeeds } from './watching/wait.ts'

/** What the commands behind these routes need together. */
interface InstanceNeeds extends CreateNeeds, WatchNeeds, WaitNeeds, IdlenessNeeds {
  readonly config: Config
  readonly database: Database
  readonly signals: Signals
  readonly ssh: SshState
}

export function instanceRoutes(needs: InstanceNeeds): Handlers<typeof instances> {
  const { database, signals } = needs
  const waitFor = createWait(needs)
  /** After the commit: the loop has work and the owner has news. */
  const wake = (userId: string) => () => {
    signals.send('gpu_instances')
    signals.send('wallets')
    signals.send(`user:${userId}`)
  }
  const act =
    <Input extends { id: string }>(
      command: (db: Tx, needs: InstanceNeeds, userId: string, input: Input) => Promise<void>,
    ) =>
    async (
      input: Input,
      { db, caller, afterCommit, afterRollback }: Parameters<Handlers<typeof instances>['start']>[1],
    ) => {
      await command(db, needs, caller.userId, input).catch(error => {
        if (error instanceof NoPlace)
          afterRollback(() => keepRefusal(database.kysely, error, needs.clock.iso()))
        throw error
      })
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, input.id)
    }
  const byId =
    (command: typeof stopInstance) =>
    (db: Tx, on: InstanceNeeds, userId: string, { id }: { id: string }) =>
      command(db, on, userId, id)

  return {
    list: (input, { caller }) => listInstances(database.pool, caller.userId, input),
    summary: (_, { db, caller }) => getInstancesSummary(db, caller.userId),
    get: ({ id }, { db, caller }) => getInstance(db, caller.userId, id),
    create: async (input, { db, caller, afterCommit }) => {
      const id = await createInstance(db, needs, caller.userId, input)
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, id)
    },
    clone: async ({ id, ...wish }, { db, caller, afterCommit }) => {
      const copy = await cloneInstance(db, needs, caller.userId, id, wish)
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, copy)
    },
    update: async ({ id, ...changes }, { db, caller, afterCommit }) => {
      await updateInstance(db, needs, caller.userId, id, changes)
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return getInstance(db, caller.userId, id)
    },
    delete: async ({ id }, { db, caller, afterCommit }) => {
      await deleteInstance(db, needs, caller.userId, id)
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, id)
    },
    start: act((db, on, userId, { id, when_full }: { id: string; when_full: 'refuse' | 'queue' }) =>
      startInstance(db, on, userId, id, when_full),
    ),
    stop: act(byId(stopInstance)),
    restart: act(byId(restartInstance)),
    leaveQueue: act(byId(leaveInstanceQueue)),
    checkIdle: (_, { db, caller }) => listIdle(db, needs, caller.userId),
    idleness: ({ id }, { db, caller }) => getIdleness(db, needs, caller.userId, id),
    snooze: async ({ id, until }, { db, caller, afterCommit }) => {
      await snoozeInstance(db, needs, caller.userId, id, until)
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return getIdleness(db, needs, caller.userId, id)
    },
    endSnooze: async ({ id }, { db, caller, afterCommit }) => {
      await snoozeInstance(db, needs, caller.userId, id, null)
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return getIdleness(db, needs, caller.userId, id)
    },
    ...scheduleRoutes(needs),
    placements: async ({ id }, { db, caller }) => ({
      items: await listPlacements(db, caller.userId, id),
      next_cursor: null,
    }),
    loads: ({ ids }, { db, caller }) => listLoads(db, needs, caller.userId, ids),
    costs: ({ id }, { db, caller }) => getInstanceCosts(db, caller.userId, id, needs.clock.iso()),
    metrics: (input, { db, caller }) => getMetrics(db, needs, caller.userId, input),
    metricsNow: ({ id }, { db, caller }) => getMetricsNow(db, needs, caller.userId, id),
    logs: (input, { db, caller, gone }) => readLogs(db, needs, caller.userId, input, gone),
    instanceEvents: (input, { db, caller }) => listInstanceEvents(db, caller.userId, input),
    wait: (input, { db, caller, request }) =>
      waitFor(db, caller, input, end => {
        const { socket } = request.raw
        socket.once('close', end)
        return () => socket.off('close', end)
      }),
    prometheus: async (_, { db, caller }) => ({
      fileName: 'metrics.txt',
      mediaType: 'text/plain',
      body: await prometheusText(db, needs, caller.userId),
    }),
    ssh: ({ id }, { db, caller }) => getSshAccess(needs, db, caller.userId, id),
    changeSsh: ({ id, ...changes }, { db, caller, afterCommit }) => {
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return changeSsh(needs, db, caller.userId, id, changes)
    },
    // Their answers are secrets, so they are not kept under an Idempotency-Key: they open their own transactions.
    sshPassword: ({ id }, { db, caller }) => showSshPassword(needs, db, caller.userId, id, { renew: false }),
    renewSshPassword: ({ id }, { db, caller }) =>
      showSshPassword(needs, db, caller.userId, id, { renew: true }),
    ports: async ({ id }, { db, caller }) => ({
      items: await listPorts(needs.config, db, caller.userId, id),
      next_cursor: null,
    }),
    addPort: async (input, { db, caller, afterCommit }) => {
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return addPort(db, needs, caller.userId, input)
    },
    updatePort: async (input, { db, caller, afterCommit }) => {
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return updatePort(db, needs, caller.userId, input)
    },
    deletePort: async (input, { db, caller, afterCommit }) => {
      await deletePort(db, needs, caller.userId, input)
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return {}
    },
    // Their answers open something, so they are not kept under an Idempotency-Key either.
    openPort: (input, { db, caller }) => openPort(needs.config, db, caller, input),
    sharePort: (input, { db, caller }) => sharePort(needs, db, caller.userId, input),
    deletePortShare: async ({ id }, { db, caller, afterCommit }) => {
      await deletePortShare(db, needs, caller.userId, id)
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return {}
    },
    terminal: ({ id, terminal_id }, { db, caller }) => openTerminal(db, caller, id, terminal_id),
  }
}
