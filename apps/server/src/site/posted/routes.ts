import type { announcements } from '@ingot/contracts/site/announcements'
import type { Clock } from '../../db/clock.ts'
import type { Handlers } from '../../http/bind.ts'
import type { Signals } from '../../worker/signals.ts'
import { announce, changeAnnouncement, endAnnouncement } from './announce.ts'
import type { Posted } from './posted.ts'
import { getMaintenance, listAnnouncements } from './queries.ts'
import { setMaintenance } from './set-maintenance.ts'

interface PostedNeeds {
  readonly clock: Clock
  readonly posted: Posted
  readonly signals: Signals
}

export function postedRoutes({ clock, posted, signals }: PostedNeeds): Handlers<typeof announcements> {
  const changed = () => signals.send('posted')
  return {
    told: async ({ place = 'console' }) => {
      const { maintenance, items } = posted.now(place)
      return { maintenance, items: [...items] }
    },
    announcements: (filter, { db }) => listAnnouncements(db, clock.iso(), filter),
    announce: async (words, { db, caller, afterCommit }) => {
      afterCommit(changed)
      return announce(db, clock.iso(), words, caller.userId)
    },
    changeAnnouncement: async (words, { db, afterCommit }) => {
      afterCommit(changed)
      return changeAnnouncement(db, clock.iso(), words)
    },
    endAnnouncement: async ({ id }, { db, afterCommit }) => {
      afterCommit(changed)
      return endAnnouncement(db, clock.iso(), id)
    },
    maintenance: (_, { db }) => getMaintenance(db),
    setMaintenance: async (input, { db, caller, afterCommit }) => {
      afterCommit(changed)
      return setMaintenance(db, clock.iso(), input, caller.userId)
    },
  }
}
