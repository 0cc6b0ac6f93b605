/** The whole API, a namespace per noun. The server must bind a handler to each; the SDK offers a method for each. */
import { accounts } from './accounts.ts'
import { activity } from './activity.ts'
import { acting } from './admin/acting.ts'
import { auditLog } from './admin/audit-log.ts'
import { admin } from './admin.ts'
import { billing } from './billing.ts'
import { budgets } from './budgets.ts'
import { business } from './admin/business.ts'
import { catalog } from './catalog-calls.ts'
import { dev } from './dev.ts'
import { files, filesOf } from './files.ts'
import { instances } from './instances.ts'
import { invoices } from './invoices.ts'
import { machines } from './admin/machines.ts'
import { payments } from './payments.ts'
import { people } from './admin/people.ts'
import { site } from './site.ts'
import { announcements } from './site/announcements.ts'
import { readers } from './site/readers.ts'
import { setup } from './site/setup.ts'
import { ssh } from './ssh.ts'
import { support } from './support.ts'
import { templateReviews } from './admin/template-reviews.ts'
import { templates } from './templates.ts'
import { volumes } from './volumes.ts'
import { wallets } from './wallet.ts'
import { withdrawals } from './withdrawals.ts'

export const api = {
  wallet: wallets,
  withdrawals,
  payments,
  catalog,
  templates: { ...templates, ...templateReviews },
  ssh,
  instances: { ...instances, ...filesOf('instances') },
  billing,
  budgets,
  invoices,
  activity,
  machines,
  support,
  volumes: { ...volumes, ...filesOf('volumes') },
  files,
  accounts,
  people,
  site: { ...site, ...announcements, ...readers, ...setup },
  admin: { ...admin, ...auditLog, ...acting },
  business,
  dev,
}
export type Api = typeof api
