import type { Payout } from '@ingot/contracts/withdrawals'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Field } from '../../../ui/Field.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Input } from '../../../ui/Input.tsx'
import { Money } from '../../../ui/Money.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { walletQuery } from '../../wallet/queries.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { UserLink } from '../tabs/UserLink.tsx'
import { ChainProof } from './ChainProof.tsx'
import { payoutsKey, usePayouts } from './queries.ts'

type Act = 'take' | 'refuse' | 'address'

/** Withdrawals and refunds that are to be sent. That one is paid, only the chain says: no button does. */
export function PayoutQueue() {
  const [address, change] = useSearchState()
  const state = address['payouts'] === 'done' ? 'done' : 'open'
  const { list, rows } = usePayouts(state)
  const { data: wallet } = useQuery(walletQuery)
  const [open, act] = useState<{ readonly payout: Payout; readonly what: Act } | null>(null)
  const close = () => act(null)
  return (
    <section aria-labelledby="payouts" className="flex flex-col gap-3">
      <h2 id="payouts" className="text-heading">
        Withdrawals and refunds
      </h2>
      <ListFrame
        filters={
          <FilterSelect
            label="Show"
            any="To be sent"
            options={[{ value: 'done' as const, label: 'Paid, cancelled and refused' }]}
            value={state === 'done' ? state : undefined}
            onChange={value => change({ payouts: value })}
          />
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        query={list}
        failed="The payouts could not be loaded"
        consequence="What is set aside for them stays set aside."
        skeleton={<SkeletonRows rows={3} columns={5} />}
        isEmpty={rows.length === 0}
        isFiltered={state === 'done'}
        noMatch={
          <NoMatch
            title="None is over yet."
            onClear={() => change({ payouts: '' })}
            clearLabel="To be sent"
          />
        }
        empty={
          <EmptyState title="Nothing is to be sent.">
            What customers ask to have back, and what deleted accounts are owed, stands here.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table
          label="Withdrawals and refunds"
          columns={columnsOf(wallet?.is_test_network === false ? 'tron' : 'devnet', (payout, what) =>
            act({ payout, what }),
          )}
          rows={rows}
          rowKey={({ id }) => id}
        />
      </ListFrame>
      {open?.what === 'take' && <TakeDialog payout={open.payout} onClose={close} />}
      {open?.what === 'refuse' && <RefuseDialog payout={open.payout} onClose={close} />}
      {open?.what === 'address' && <AddressDialog payout={open.payout} onClose={close} />}
    </section>
  )
}

interface ActProps {
  readonly payout: Payout
  readonly onClose: () => void
}

function useAct<Input>(call: (input: Input) => Promise<Payout>, said: string, onClose: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: call,
    onSuccess: () => {
      toast.success(said)
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: payoutsKey }),
  })
}

function TakeDialog({ payout, onClose }: ActProps) {
  const take = useAct(() => api.withdrawals.take({ id: payout.id }), 'It is yours to send', onClose)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Send it now"
      confirmLabel="Take in hand"
      busy={take.isPending}
      onConfirm={() => take.mutate(undefined)}
    >
      Send exactly {formatMoney(payout.amount_usdt, { decimals: 6 })} USDT to {payout.address} from a wallet
      of yours. Its owner cannot cancel it any more, and it counts as paid when the transfer is seen on the
      chain.
      {take.error && <Band tone="danger">{errorText(take.error)}</Band>}
    </ConfirmDialog>
  )
}

function RefuseDialog({ payout, onClose }: ActProps) {
  const refuse = useAct(
    (reason: string) => api.withdrawals.refuse({ id: payout.id, reason }),
    'Withdrawal refused',
    onClose,
  )
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title="Refuse withdrawal"
      confirmLabel="Refuse"
      busyLabel="Refusing..."
      danger
      busy={refuse.isPending}
      error={refuse.error && errorText(refuse.error)}
      onConfirm={reason => refuse.mutate(reason)}
    >
      {formatMoney(payout.amount_usdt)} goes back into its owner’s wallet.
    </ReasonDialog>
  )
}

function AddressDialog({ payout, onClose }: ActProps) {
  const form = useId()
  const [address, type] = useState(payout.address ?? '')
  const set = useAct(
    (to: string) => api.withdrawals.setRefundAddress({ id: payout.id, address: to }),
    'Address set',
    onClose,
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (address.trim()) set.mutate(address.trim())
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Where the refund goes"
      width="s"
      dismissible={!set.isPending}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={set.isPending}
            disabledReason={address.trim() ? null : 'Enter the address first'}
          >
            Set address
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-3">
        <Field
          label="TRON address"
          hint={payout.contact ? `As ${payout.contact} answered` : 'As the former customer answered'}
          error={set.error && errorText(set.error)}
          required
        >
          <Input value={address} maxLength={40} onChange={event => type(event.target.value)} />
        </Field>
      </form>
    </Dialog>
  )
}

const marks = {
  waiting: ['attention', 'Waiting'],
  sending: ['changing', 'Sending'],
  paid: ['running', 'Paid'],
  cancelled: ['stopped', 'Cancelled'],
  refused: ['failed', 'Refused'],
} as const

const columnsOf = (chain: string, act: (payout: Payout, what: Act) => void): readonly Column<Payout>[] => [
  {
    id: 'kind',
    header: 'What',
    phone: 'lead',
    cell: ({ kind, id }) => (
      <>
        {kind === 'refund' ? 'Refund' : 'Withdrawal'}{' '}
        <span className="font-mono text-code text-muted">{id.slice(0, 8)}</span>
      </>
    ),
  },
  {
    id: 'user',
    header: 'Customer',
    cell: row => <UserLink id={row.user_id} email={row.user_email} to="/admin" />,
  },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    phone: 'aside',
    cell: row => <Money value={row.amount_usdt} exact />,
  },
  {
    id: 'address',
    header: 'To',
    cell: ({ address, contact }) =>
      address ? (
        <span className="inline-flex items-center gap-1 font-mono text-code">
          <span title={address}>
            {address.slice(0, 6)}…{address.slice(-6)}
          </span>
          <CopyButton text={address} what="Address" />
        </span>
      ) : (
        <span className="text-muted">{contact ? `Ask ${contact}` : 'Nobody knows'}</span>
      ),
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ status, payable_at, reason }) => (
      <StatusMark
        kind={marks[status][0]}
        detail={
          status === 'waiting' && payable_at ? (
            <>
              payable <Time at={payable_at} />
            </>
          ) : (
            reason
          )
        }
      >
        {marks[status][1]}
      </StatusMark>
    ),
  },
  {
    id: 'proof',
    header: 'On the chain',
    cell: ({ tx_hash }) =>
      tx_hash ? <ChainProof hash={tx_hash} chain={chain} /> : <span className="text-muted">Not seen</span>,
  },
  { id: 'asked', header: 'Asked', phone: 'hidden', cell: ({ asked_at }) => <Time at={asked_at} /> },
  {
    id: 'act',
    header: 'Act',
    className: 'sm:w-px',
    cell: payout => (
      <span className="flex gap-2">
        {payout.kind === 'withdrawal' && (payout.status === 'waiting' || payout.status === 'sending') && (
          <Button onClick={() => act(payout, 'refuse')}>Refuse</Button>
        )}
        {payout.kind === 'refund' && payout.status === 'waiting' && (
          <Button onClick={() => act(payout, 'address')}>Set address</Button>
        )}
        {payout.status === 'waiting' && (
          <Button
            disabledReason={payout.address ? null : 'Nobody knows where to: set the address first'}
            onClick={() => act(payout, 'take')}
          >
            Take
          </Button>
        )}
      </span>
    ),
  },
]
