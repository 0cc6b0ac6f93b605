import type { invoices } from '@ingot/contracts/invoices'
import type { Clock } from '../../db/clock.ts'
import type { Handlers } from '../../http/bind.ts'
import { getInvoiceCustomer, setInvoiceCustomer } from './customer.ts'
import { issueInvoice, type InvoiceNeeds } from './issue-invoices.ts'
import { invoiceFile } from './pdf/invoice-file.ts'
import { getInvoice, getOpenInvoices, listInvoices } from './queries.ts'

export function invoiceRoutes(needs: InvoiceNeeds & { readonly clock: Clock }): Handlers<typeof invoices> {
  const { clock, vault } = needs
  return {
    list: (input, { db, caller }) => listInvoices(db, caller.userId, input),
    issue: async ({ month }, { db, caller }) => ({
      items: await issueInvoice(db, needs, caller.userId, month, clock.iso()),
    }),
    open: (_, { db, caller }) => getOpenInvoices(db, caller.userId, clock.iso()),
    customer: (_, { db, caller }) => getInvoiceCustomer(db, vault, caller.userId),
    setCustomer: (details, { db, caller }) => setInvoiceCustomer(db, vault, caller.userId, details),
    get: ({ id }, { db, caller }) => getInvoice(db, vault, caller.userId, id),
    pdf: async ({ id }, { db, caller }) => invoiceFile(await getInvoice(db, vault, caller.userId, id)),
  }
}
