import type { InvoiceIdentity } from '@ingot/contracts/admin/business'
import { useQuery } from '@tanstack/react-query'
import { Band } from '../../../ui/Band.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { identityQuery } from './queries.ts'

/** Who sells, and the tax in prices. It is configuration, so it is shown with the names of its settings. */
export function InvoiceIdentityPanel() {
  const query = useQuery(identityQuery)
  return (
    <section aria-labelledby="invoice-identity" className="flex flex-col gap-3">
      <h2 id="invoice-identity" className="text-heading">
        Taxes and invoices
      </h2>
      <QueryView
        query={query}
        failed="What invoices say could not be loaded"
        skeleton={<SkeletonRows rows={5} columns={2} />}
      >
        {identity => (
          <div className="flex flex-col gap-3 rounded-panel border border-line bg-raised p-4">
            {identity.name === null && (
              <Band tone="warn">
                Nobody is named as the seller: customers get statements, not invoices. Set INGOT_INVOICE_NAME.
              </Band>
            )}
            <PropertyList properties={propertiesOf(identity)} />
            <p className="text-label font-normal text-muted">
              These are settings of the server: change the variables beginning with INGOT_INVOICE_ and start
              it again. Invoices that are written keep what they say.
            </p>
          </div>
        )}
      </QueryView>
    </section>
  )
}

const propertiesOf = (identity: InvoiceIdentity) => [
  { name: 'Name (INGOT_INVOICE_NAME)', value: identity.name ?? 'Not set' },
  { name: 'Address (INGOT_INVOICE_ADDRESS)', value: identity.address.join(', ') || 'Not set' },
  { name: 'Tax number (INGOT_INVOICE_TAX_NUMBER)', value: identity.tax_number ?? 'Not set' },
  {
    name: 'Tax (INGOT_INVOICE_TAX_NAME, _TAX_RATE)',
    value:
      identity.tax_percent === null
        ? 'No line of tax'
        : `${identity.tax_name} ${identity.tax_percent} %, included in prices`,
  },
  { name: 'Note (INGOT_INVOICE_NOTE)', value: identity.note ?? 'None' },
  {
    name: 'Numbers (INGOT_INVOICE_PREFIX)',
    value: `${identity.prefix}-…, ${identity.invoices} written${identity.last_number ? `, the last ${identity.last_number}` : ''}`,
  },
]
