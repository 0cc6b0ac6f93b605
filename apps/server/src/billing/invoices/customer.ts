/**
 * To whom invoices are written. What a customer sets is sealed at rest and goes with the account; each invoice keeps,
 * sealed, what it was when it was written, for as long as invoices must be kept.
 */
import type { Invoice, InvoiceCustomer } from '@ingot/contracts/invoices'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'

interface CustomerRow {
  readonly id: string
  readonly sealed: Buffer | null
  readonly email: string | null
  readonly name: string
}

/** Bound to its user: moved to another's row it does not open. */
const detailsOf = (userId: string) => `billing-details:${userId}`
const frozenFor = (userId: string) => `invoice-customer:${userId}`

const none: InvoiceCustomer = { name: '', address: '', tax_number: '' }

export async function getInvoiceCustomer(
  db: Db | Tx,
  vault: Vault,
  userId: string,
): Promise<InvoiceCustomer> {
  const row = await db
    .selectFrom('billing_details')
    .select('sealed')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ? openDetails(vault, userId, row.sealed) : none
}

export async function setInvoiceCustomer(
  tx: Tx,
  vault: Vault,
  userId: string,
  { name, address, tax_number }: InvoiceCustomer,
): Promise<InvoiceCustomer> {
  const details = { name: name.trim(), address: address.trim(), tax_number: tax_number.trim() }
  const sealed = vault.seal(JSON.stringify(details), detailsOf(userId))
  await tx
    .insertInto('billing_details')
    .values({ user_id: userId, sealed })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet({ sealed, updated_at: sql`now()` }))
    .execute()
  return details
}

/** As invoices that are written now keep them, in the order of the users. */
export async function freezeCustomers(
  tx: Db | Tx,
  vault: Vault,
  userIds: readonly string[],
): Promise<Buffer[]> {
  const { rows } = await sql<CustomerRow>`
    select u.id, d.sealed, u.email, coalesce(nullif(p.company, ''), btrim(p.first_name || ' ' || p.last_name), '') as name
    from auth_user u left join profiles p on p.user_id = u.id left join billing_details d on d.user_id = u.id
    where u.id = any(${userIds}::uuid[])`.execute(tx)
  const byId = new Map(rows.map(row => [row.id, row]))
  return userIds.map(userId => {
    const row = byId.get(userId)
    const details = row?.sealed ? openDetails(vault, userId, row.sealed) : none
    const customer: Invoice['customer'] = {
      ...details,
      name: details.name || (row?.name ?? ''),
      email: row?.email ?? '',
    }
    return vault.seal(JSON.stringify(customer), frozenFor(userId))
  })
}

export const openCustomer = (vault: Vault, userId: string, sealed: Buffer): Invoice['customer'] =>
  JSON.parse(vault.open(sealed, frozenFor(userId)).toString()) as Invoice['customer']

const openDetails = (vault: Vault, userId: string, sealed: Buffer): InvoiceCustomer =>
  JSON.parse(vault.open(sealed, detailsOf(userId)).toString()) as InvoiceCustomer
