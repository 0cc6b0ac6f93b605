/** The whole API, a namespace per noun. The server must bind a handler to each; the SDK offers a method for each. */
import { accounts } from './accounts.ts'
import { activity } from './activity.ts'
import { admin } from './admin.ts'
import { billing } from './billing.ts'
import { budgets } from './budgets.ts'
import { catalog } from './catalog-calls.ts'
import { dev } from './dev.ts'
import { files, filesOf } from './files.ts'
import { instances } from './instances.ts'
import { invoices } from './invoices.ts'
import { payments } from './payments.ts'
import { site } from './site.ts'
import { ssh } from './ssh.ts'
import { templates } from './templates.ts'
import { wallets } from './wallet.ts'
import { withdrawals } from './withdrawals.ts'

export const api = {
  wallet: wallets,
  withdrawals,
  payments,
  catalog,
  templates,
  ssh,
  instances: { ...instances, ...filesOf('instances') },
  billing,
  budgets,
  invoices,
  activity,
  volumes: { ...filesOf('volumes') },
  files,
  accounts,
  site,
  admin,
  dev,
}
export type Api = typeof api
