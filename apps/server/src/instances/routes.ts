import type { instances } from '@ingot/contracts/instances'
import type { GpuType, RegionName } from '@ingot/contracts/catalog'
import type { Handlers } from '../http/bind.ts'
import { createInstance } from './create-instance.ts'
import { deleteInstance } from './delete-instance.ts'
import { findInstance, getInstance, listInstances } from './queries.ts'
import type { InstanceServices } from './services.ts'
import { startInstance } from './start-instance.ts'
import { restartInstance, stopInstance } from './stop-instance.ts'
import { openTerminal } from './terminal/open-terminal.ts'
import { updateInstance } from './update-instance.ts'

export function instanceRoutes(services: InstanceServices): Handlers<typeof instances> {
  const { database, signals } = services
  /** After the commit: the loop has work and the owner has news. */
  const wake = (userId: string) => () => {
    signals.send('instances')
    signals.send('wallets')
    signals.send(`user:${userId}`)
  }
  const act =
    (command: typeof startInstance) =>
    async (
      { id }: { id: string },
      { db, caller, afterCommit }: Parameters<Handlers<typeof instances>['start']>[1],
    ) => {
      await command(db, services, caller.userId, id)
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, id)
    }

  return {
    list: (input, { caller }) => listInstances(database.pool, caller.userId, input),
    get: ({ id }, { db, caller }) => getInstance(db, caller.userId, id),
    create: async (input, { db, caller, afterCommit }) => {
      const id = await createInstance(db, services, caller.userId, input)
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, id)
    },
    clone: async ({ id, name, ...input }, { db, caller, afterCommit }) => {
      const source = await findInstance(db, caller.userId, id)
      const copy = await createInstance(
        db,
        services,
        caller.userId,
        {
          ...input,
          name: name ?? `${source.name.slice(0, 57)}-clone`,
          template_id: source.template_id ?? '',
          gpu_type: source.gpu_type as GpuType,
          gpu_count: source.gpu_count,
          region: source.region as RegionName,
          system_storage_gb: source.system_storage_gb,
          data_storage_gb: source.data_storage_gb,
          billing_period: source.billing_period,
          auto_shutdown_enabled: source.auto_shutdown_enabled,
          auto_shutdown_minutes: source.auto_shutdown_minutes,
        },
        source.id,
      )
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, copy)
    },
    update: async ({ id, ...changes }, { db, caller, afterCommit }) => {
      await updateInstance(db, services, caller.userId, id, changes)
      afterCommit(() => signals.send(`user:${caller.userId}`))
      return getInstance(db, caller.userId, id)
    },
    delete: async ({ id }, { db, caller, afterCommit }) => {
      await deleteInstance(db, services, caller.userId, id)
      afterCommit(wake(caller.userId))
      return getInstance(db, caller.userId, id)
    },
    start: act(startInstance),
    stop: act(stopInstance),
    restart: act(restartInstance),
    terminal: ({ id, terminal_id }, { db, caller }) => openTerminal(db, caller, id, terminal_id),
  }
}
