import { extraStoragePerGbMonth, includedStorageGb } from '@ingot/contracts/catalog'
import { formatUsd } from '@ingot/contracts/money'
import {
  maxVolumeGb,
  minVolumeGb,
  snapshotPerGbMonth,
  volumeMonthMicro,
  volumePerGbMonth,
  volumePresetsGb,
} from '@ingot/contracts/volume/prices'
import { buttonClass } from '../../ui/button-class.ts'
import { formatGb, formatMoney } from '../../ui/format.ts'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'
import { cheapestHourly, hourlyOf } from '../cost-of.ts'
import { useShown } from '../shown.ts'
import { Calculator } from './Calculator.tsx'
import { PriceTable } from './PriceTable.tsx'
import { WhatYouPay } from './WhatYouPay.tsx'

export function PricingPage() {
  const shown = useShown()
  return (
    <Frame>
      <PageHead
        title="Pricing"
        aside={<Receipt />}
        lead={`GPUs from ${cheapestHourly(shown)} per hour, billed by the second from a prepaid balance. What the button says is what is charged, and a stopped instance costs nothing.`}
      >
        <div className="mt-6 flex flex-wrap gap-3">
          <a href="/get-started" className={buttonClass('secondary', 'l')}>
            Get started
          </a>
          <a href="#calculator" className={buttonClass('ghost', 'l')}>
            Calculate a run
          </a>
        </div>
      </PageHead>
      <Section
        id="prices"
        title="Every price"
        lead="By the hour, or a whole term paid at once. Each figure is for one GPU; vCPU, RAM and price grow with the count."
      >
        <PriceTable />
      </Section>
      <Section
        id="calculator"
        title="What a run costs"
        lead="The same arithmetic that charges you, to the micro-dollar. The address of this page keeps the choice, so it can be sent to whoever pays."
      >
        <Calculator />
      </Section>
      <Section
        id="storage"
        title="Storage"
        layout="side"
        lead="The disk of an instance is part of its hourly price and metered with it. Volumes and snapshots are paid by the month of 720 hours, in advance."
      >
        <dl className="max-w-prose text-prose">
          <Line name={`First ${includedStorageGb} GB of each instance`} value="included" />
          <Line
            name="Each further gigabyte"
            value={`${formatMoney(extraStoragePerGbMonth)} per month, spread over 720 hours`}
          />
          <Line name="Disk of a stopped instance" value="$0.00" />
          <Line name="Network volumes" value={`${formatMoney(volumePerGbMonth)} per GB per month`} />
          <Line
            name="Snapshots, by what is stored"
            value={`${formatMoney(snapshotPerGbMonth)} per GB per month`}
          />
        </dl>
        <h3 className="pt-8 pb-2 text-title">Network volumes, a month in advance</h3>
        <dl className="max-w-prose text-prose">
          {volumePresetsGb.map(gb => (
            <Line
              key={gb}
              name={formatGb(gb)}
              value={`${formatMoney(formatUsd(volumeMonthMicro(gb)))} per month`}
            />
          ))}
        </dl>
        <p className="max-w-prose pt-4 text-muted">
          Any size from {formatGb(minVolumeGb)} to {formatGb(maxVolumeGb)}. What is not used of a month
          returns when you delete the volume, and making it larger is charged for what is left of the month.
          More in{' '}
          <a href="/docs/volumes" className="link">
            the guide to volumes
          </a>
          .
        </p>
      </Section>
      <Section id="what-you-pay" title="What you pay when">
        <WhatYouPay />
      </Section>
    </Frame>
  )
}

/** Ninety minutes of an H100, entry by entry. */
function Receipt() {
  const hour = hourlyOf(useShown(), 'H100', 1)
  const half = hour / 2n
  const entries = [
    ['Deploy: the first hour in advance', hour],
    ['Minutes 1 to 60: from what is prepaid', 0n],
    ['Minutes 61 to 90', half],
    ['Stopped overnight', 0n],
    ['Deleted the next day', 0n],
  ] as const
  return (
    <section aria-labelledby="receipt" className="self-start rounded-panel border border-line bg-raised p-5">
      <h2 id="receipt" className="text-heading">
        One H100 for ninety minutes
      </h2>
      <dl className="mt-2 tabular-nums">
        {entries.map(([name, amount]) => (
          <div key={name} className="flex justify-between gap-4 border-t border-line py-2">
            <dt className="text-muted">{name}</dt>
            <dd>{formatMoney(formatUsd(amount))}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-4 border-t border-line-strong pt-2 font-semi">
          <dt>Paid in all</dt>
          <dd>{formatMoney(formatUsd(hour + half))}</dd>
        </div>
      </dl>
    </section>
  )
}

function Line({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-6 border-t border-line py-2 first:border-t-0">
      <dt>{name}</dt>
      <dd className="font-semi tabular-nums">{value}</dd>
    </div>
  )
}
