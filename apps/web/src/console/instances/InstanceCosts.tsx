import type { Instance } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import { formatDuration, formatMoney } from '../../ui/format.ts'
import { Money } from '../../ui/Money.tsx'
import { Time } from '../../ui/Time.tsx'
import { type Property, PropertyList } from '../../ui/PropertyList.tsx'
import { useNow } from '../../ui/use-now.ts'
import { LastsUntil } from '../wallet/LastsUntil.tsx'
import { useRunway } from '../wallet/wallet.tsx'
import { cardText } from './action-text.ts'
import { isInTerm, returnsMicro, runCostMicro } from '@ingot/contracts/instance-costs'

/** What it costs now, stopped and deleted. Ticks while it runs. */
export function InstanceCosts({ instance }: { readonly instance: Instance }) {
  const now = useNow(1000)
  const wallet = useRunway()
  const { emptyAt } = wallet
  const run = runCostMicro(instance, now)
  const returns = formatUsd(returnsMicro(instance, now))
  const inTerm = isInTerm(instance, now)
  // Nothing was paid for it, and it has no disk yet.
  const { is_new: isNew = false, set_aside = '0' } = instance.queue ?? {}
  const rows: (Property | null)[] = [
    {
      name: 'While running',
      value: inTerm ? (
        <>
          Paid upfront until <Time at={instance.paid_until!} exact />,{' '}
          {instance.on_term_end === 'stop' ? (
            'when it stops'
          ) : (
            <>
              then <Money value={instance.hourly_cost} per="h" />
            </>
          )}
        </>
      ) : (
        <>
          <Money value={instance.hourly_cost} per="h" />, by the second
        </>
      ),
    },
    run !== null && !inTerm ? { name: 'This run so far', value: <Money value={formatUsd(run)} /> } : null,
    instance.status === 'running' && !inTerm && emptyAt !== null
      ? {
          name: 'Balance',
          value: (
            <>
              Lasts <LastsUntil at={emptyAt} now={wallet.now} /> with all that runs
            </>
          ),
        }
      : null,
    instance.extended_ms > 0
      ? { name: 'Outages', value: `The term ends ${formatDuration(instance.extended_ms)} later.` }
      : null,
    isNew ? { name: 'When its turn comes', value: `${formatMoney(set_aside)}, which is set aside` } : null,
    isNew ? null : { name: 'While stopped', value: `$0.00/h. The disk stays. ${cardText(instance, now)}` },
    isNew
      ? null
      : {
          name: 'Prepaid left',
          value:
            instance.paid_until === null
              ? `${run === null ? '' : 'About '}${formatMoney(returns)} of the deploy charge. Usage draws on it before your balance.`
              : `${formatMoney(inTerm ? instance.prepaid_remaining : '0')} of the upfront payment`,
        },
    {
      name: 'If deleted now',
      value: isNew
        ? `${formatMoney(set_aside)} returns to your wallet.`
        : `${formatMoney(returns)} returns to your wallet. The disk is gone.`,
    },
  ]
  return (
    <section>
      <h3 className="pb-1 text-heading">What it costs</h3>
      <PropertyList properties={rows.filter(row => row !== null)} />
    </section>
  )
}
