import type { readers } from '@ingot/contracts/site/readers'
import type { Handlers } from '../../http/bind.ts'
import { exportInquiries, exportSubscribers, exportWaiting } from './exports.ts'
import { listSubscribers, listWaiting } from './queries.ts'

export const readerRoutes: Handlers<typeof readers> = {
  waitlist: (filter, { db }) => listWaiting(db, filter),
  exportWaitlist: async (filter, { db }) => exportWaiting(db, filter),
  subscribers: (filter, { db }) => listSubscribers(db, filter),
  exportSubscribers: async (filter, { db }) => exportSubscribers(db, filter),
  exportInquiries: async (filter, { db }) => exportInquiries(db, filter),
}
