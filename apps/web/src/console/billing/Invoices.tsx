import type { InvoiceHead } from '@ingot/contracts/invoices'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Drawer } from '../../ui/Drawer.tsx'
import { Money } from '../../ui/Money.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { LoadMore } from '../list/LoadMore.tsx'
import { useSearchState } from '../list/search-state.ts'
import { usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import { download } from '../shell/download.ts'
import { errorText } from '../shell/error-text.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { InvoiceCustomer } from './InvoiceCustomer.tsx'
import { CopyCall } from '../shell/CopyCall.tsx'

const jsonType = 'application/json'

/** Every invoice as a file, months that have none yet, and to whom they are written. */
export function Invoices() {
  const [{ show }, change] = useSearchState()
  return (
    <Drawer
      open={show === 'invoices'}
      onOpenChange={isOpen => !isOpen && change({ show: '' })}
      title="Invoices"
    >
      <div className="flex flex-col gap-6">
        <OpenMonths />
        <Numbered />
        <InvoiceCustomer />
      </div>
    </Drawer>
  )
}

function OpenMonths() {
  const client = useQueryClient()
  const open = useQuery({
    queryKey: ['billing', 'invoices', 'open'],
    queryFn: ({ signal }) => api.invoices.open({}, { signal }),
  })
  const issue = useMutation({
    mutationFn: (month: string) => api.invoices.issue({ month }),
    onSuccess: ({ items }) => {
      void client.invalidateQueries({ queryKey: ['billing'] })
      toast.success(
        items.length > 0
          ? `Numbered: ${items.map(({ number }) => number).join(', ')}`
          : 'Nothing was charged',
      )
    },
    onError: error => toast.error(errorText(error)),
  })
  return (
    <QueryView
      query={open}
      failed="The open months could not be loaded"
      skeleton={<SkeletonRows rows={1} columns={2} />}
      quietAge
    >
      {({ items }) => (
        <ul aria-label="Months without an invoice" className="flex flex-col gap-2">
          {items.map(({ month, so_far, is_over }) => (
            <li
              key={month}
              className="flex flex-wrap items-center justify-between gap-2 rounded-panel border border-line p-3"
            >
              <span>
                <span className="font-semi">{monthText(month)}</span>
                <span className="block text-label font-normal text-muted">
                  {is_over ? 'Over; numbered within a day, or now' : 'Open; numbered when it is over'}
                </span>
              </span>
              {is_over ? (
                <span className="flex flex-wrap gap-2">
                  <CopyCall call="invoices.issue" values={{ month }} />
                  <Button
                    onClick={() => issue.mutate(month)}
                    busy={issue.isPending && issue.variables === month}
                    aria-label={`Make the invoice of ${monthText(month)}`}
                  >
                    Make invoice
                  </Button>
                </span>
              ) : (
                <span className="text-muted tabular-nums">
                  So far <Money value={so_far} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </QueryView>
  )
}

function Numbered() {
  const { list, rows } = usePages({
    queryKey: ['billing', 'invoices', 'list'],
    pageSize: 24,
    fetch: (page, options) => api.invoices.list(page, options),
  })
  return (
    <section aria-labelledby="numbered" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="numbered" className="text-heading">
          Numbered
        </h3>
        <CopyCall call="invoices.list" />
      </div>
      <QueryView
        query={list}
        failed="The invoices could not be loaded"
        consequence="Your balance and your instances are not affected."
        skeleton={<SkeletonRows rows={4} columns={3} />}
      >
        {() =>
          rows.length === 0 ? (
            <p className="text-muted">None yet. Each month that charged something has one when it is over.</p>
          ) : (
            <>
              <ul aria-label="Invoices" className="flex flex-col">
                {rows.map(invoice => (
                  <InvoiceRow key={invoice.id} invoice={invoice} />
                ))}
              </ul>
              <LoadMore list={list} />
            </>
          )
        }
      </QueryView>
    </section>
  )
}

function InvoiceRow({ invoice }: { readonly invoice: InvoiceHead }) {
  const { id, number, month, kind, total } = invoice
  const isCredit = kind === 'credit_note'
  return (
    <li className="flex flex-col gap-2 border-t border-line py-3">
      <div className="flex items-baseline justify-between gap-4">
        <span className="font-semi">{monthText(month)}</span>
        <span className="font-medium tabular-nums">
          <Money value={total} />
        </span>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex flex-wrap items-center gap-2 text-label font-normal text-muted">
          {number}
          <Badge tone={isCredit ? 'ok' : 'neutral'}>{isCredit ? 'Credit note' : 'Paid'}</Badge>
        </span>
        <span className="flex gap-2">
          <Save
            label={`${number} as PDF`}
            save={async () => {
              const file = await api.invoices.pdf({ id })
              download(file.fileName, await file.blob(), file.mediaType)
            }}
          >
            PDF
          </Save>
          <Save
            label={`${number} as JSON`}
            save={async () => {
              const whole = JSON.stringify(await api.invoices.get({ id }), null, 2)
              download(`${number}.json`, whole, jsonType)
            }}
          >
            JSON
          </Save>
        </span>
      </div>
    </li>
  )
}

interface SaveProps {
  readonly label: string
  readonly save: () => Promise<void>
  readonly children: string
}

function Save({ label, save, children }: SaveProps) {
  const saving = useMutation({
    mutationFn: save,
    onError: () => toast.error('The file could not be made. Try again.'),
  })
  return (
    <Button onClick={() => saving.mutate()} busy={saving.isPending} aria-label={label}>
      {children}
    </Button>
  )
}

const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const monthText = (month: string): string => monthFormat.format(new Date(`${month}-01`))
