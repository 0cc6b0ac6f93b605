import {
  type InvoiceCustomer as Customer,
  maxCustomerAddress,
  maxCustomerText,
} from '@ingot/contracts/invoices'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Textarea } from '../../ui/Textarea.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { CopyCall } from '../shell/CopyCall.tsx'

const customerQuery = queryOptions({
  queryKey: ['billing', 'invoices', 'customer'],
  queryFn: ({ signal }) => api.invoices.customer({}, { signal }),
})

/** To whom the next invoices are written. */
export function InvoiceCustomer() {
  const customer = useQuery(customerQuery)
  return (
    <section aria-labelledby="billed-to" className="flex flex-col gap-3">
      <h3 id="billed-to" className="text-heading">
        Billed to
      </h3>
      <QueryView
        query={customer}
        failed="The address could not be loaded"
        skeleton={<Skeleton className="h-24" />}
      >
        {data => <CustomerForm saved={data} />}
      </QueryView>
    </section>
  )
}

function CustomerForm({ saved }: { readonly saved: Customer }) {
  const client = useQueryClient()
  const [changes, setChanges] = useState<Partial<Customer>>({})
  const values = { ...saved, ...changes }
  const edit = (change: Partial<Customer>) => setChanges(before => ({ ...before, ...change }))
  const save = useMutation({
    mutationFn: () => api.invoices.setCustomer(values),
    onSuccess: data => {
      client.setQueryData(customerQuery.queryKey, data)
      setChanges({})
      toast.success('Saved for the next invoices')
    },
    onError: error => toast.error(errorText(error)),
  })
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (!save.isPending) save.mutate()
      }}
      className="flex flex-col gap-3"
    >
      <Field label="Name or company" hint="Empty: the name in your profile.">
        <Input
          value={values.name}
          onChange={event => edit({ name: event.target.value })}
          autoComplete="billing organization"
          maxLength={maxCustomerText}
        />
      </Field>
      <Field label="Address" optional>
        <Textarea
          value={values.address}
          onChange={event => edit({ address: event.target.value })}
          autoComplete="billing street-address"
          maxLength={maxCustomerAddress}
        />
      </Field>
      <Field label="Tax number" optional>
        <Input
          value={values.tax_number}
          onChange={event => edit({ tax_number: event.target.value })}
          autoComplete="off"
          maxLength={maxCustomerText}
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={save.isPending}>
          Save
        </Button>
        <CopyCall call="invoices.setCustomer" values={values} />
      </div>
    </form>
  )
}
