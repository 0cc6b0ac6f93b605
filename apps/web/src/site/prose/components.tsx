/** How MDX looks: each element of the prose, and the parts that its pages use by name. */
import { formatGb, formatHourly, formatMoney } from '../../ui/format.ts'
import { cx } from '../../ui/cx.ts'
import { Scroller } from '../../ui/Scroller.tsx'
import { table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { extraStoragePerGbMonth, includedStorageGb } from '@ingot/contracts/catalog'
import {
  snapshotPerGbMonth,
  volumeMonthMicro,
  volumePerGbMonth,
  volumePresetsGb,
} from '@ingot/contracts/volume/prices'
import { formatUsd } from '@ingot/contracts/money'
import { minimumDepositUsdt } from '@ingot/contracts/wallet'
import type { ComponentProps, ReactNode } from 'react'
import { gpuNamed, hourlyOf } from '../cost-of.ts'
import { useShown } from '../shown.ts'
import { CodeBlock, CodeTabs } from './CodeBlock.tsx'
import { Compare } from './Compare.tsx'

type Of<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag>

export const proseComponents = {
  h2: ({ id, children }: Of<'h2'>) => (
    <h2 id={id} className="group mt-12 mb-4 text-h2-site first:mt-0">
      {children} <Anchor id={id} />
    </h2>
  ),
  h3: ({ id, children }: Of<'h3'>) => (
    <h3 id={id} className="group mt-8 mb-2 text-lead font-semi">
      {children} <Anchor id={id} />
    </h3>
  ),
  p: (props: Of<'p'>) => <p {...props} className="my-4 text-prose" />,
  ul: (props: Of<'ul'>) => <ul {...props} className="my-4 list-disc pl-5 text-prose marker:text-subtle" />,
  ol: (props: Of<'ol'>) => <ol {...props} className="my-4 list-decimal pl-6 text-prose marker:text-muted" />,
  li: (props: Of<'li'>) => <li {...props} className="my-1 pl-1" />,
  a: ({ href, children }: Of<'a'>) => (
    <a href={href} className="link">
      {children}
    </a>
  ),
  strong: (props: Of<'strong'>) => <strong {...props} className="font-semi" />,
  code: (props: Of<'code'>) => (
    <code {...props} className="rounded-tag bg-sunken px-1 font-mono text-code break-words" />
  ),
  blockquote: (props: Of<'blockquote'>) => (
    <blockquote {...props} className="my-6 border-l-2 border-line-strong pl-4 text-muted" />
  ),
  hr: () => <hr className="my-12 border-line" />,
  table: ({ children }: Of<'table'>) => (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys scroll it
    <div tabIndex={0} className={cx(tableFrame, 'my-6')}>
      <table className={table}>{children}</table>
    </div>
  ),
  tr: (props: Of<'tr'>) => <tr {...props} className={cx(tableRow, 'first:border-t-0')} />,
  // A head without words would be read aloud as one.
  th: ({ children }: Of<'th'>) =>
    children ? (
      <th scope="col" className={tableHead}>
        {children}
      </th>
    ) : (
      // oxlint-disable-next-line jsx-a11y/control-has-associated-label -- a cell, not a control
      <td className={tableHead} />
    ),
  // The last one mostly holds a sentence: beside long names it would have a word a line.
  td: ({ children }: Of<'td'>) => (
    <td className={cx(tableCell, 'py-2 align-top text-body last:min-w-menu')}>{children}</td>
  ),
  Code: CodeBlock,
  CodeTabs,
  Compare,
  Note,
  Planned,
  Gpus,
  HourlyPrice,
  Cost,
  Origin: () => useShown().origin,
  MinimumDeposit: () => `${minimumDepositUsdt} USDT`,
  IncludedStorage: () => `${includedStorageGb} GB`,
  StoragePrice: () => formatMoney(`${extraStoragePerGbMonth}0000`),
  VolumePrice: () => formatMoney(volumePerGbMonth),
  SnapshotPrice: () => formatMoney(snapshotPerGbMonth),
  VolumePrices,
}

function HourlyPrice({ gpu }: { readonly gpu: string }) {
  return formatHourly(gpuNamed(useShown(), gpu).hourly_price)
}

/** The sizes that the console offers. */
function VolumePrices() {
  return (
    <div className={cx(tableFrame, 'my-6')}>
      <table className={table}>
        <thead>
          <tr>
            <th scope="col" className={tableHead}>
              Size
            </th>
            <th scope="col" className={tableHead}>
              A month
            </th>
          </tr>
        </thead>
        <tbody>
          {volumePresetsGb.map(gb => (
            <tr key={gb} className={cx(tableRow, 'first:border-t-0')}>
              <td className={cx(tableCell, 'py-2')}>{formatGb(gb)}</td>
              <td className={cx(tableCell, 'py-2 tabular-nums')}>
                {formatMoney(formatUsd(volumeMonthMicro(gb)))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** What some minutes of it cost, to the last digit. */
function Cost({ gpu, minutes }: { readonly gpu: string; readonly minutes: number }) {
  const micro = (hourlyOf(useShown(), gpu, 1) * BigInt(minutes)) / 60n
  return formatMoney(formatUsd(micro), { decimals: 6 })
}

function Anchor({ id }: { readonly id: string | undefined }) {
  return (
    <a
      href={`#${id}`}
      data-search="off"
      aria-label="Link to this section"
      className="font-normal text-subtle opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
    >
      #
    </a>
  )
}

interface NoteProps {
  readonly children: ReactNode
}

/** What one must know before going on. */
function Note({ children }: NoteProps) {
  return (
    <div role="note" className="my-6 rounded-panel bg-info-soft px-4 py-1 text-prose forced-colors:border">
      {children}
    </div>
  )
}

/** Stands around what is documented but cannot be used yet. */
function Planned({ children }: NoteProps) {
  return (
    <div className="relative my-8 rounded-panel border border-dashed border-line-strong px-4 py-1">
      <p className="absolute top-0 left-4 -translate-y-1/2 bg-page px-2 text-label text-muted">
        Planned, not for sale yet
      </p>
      {children}
    </div>
  )
}

/** Every GPU at the price that is charged. */
function Gpus() {
  const { gpus } = useShown()
  return (
    <Scroller label="GPUs and prices" className={cx(tableFrame, 'my-6')}>
      <table className={table}>
        <thead>
          <tr>
            {['GPU', 'Memory', 'vCPU', 'RAM', 'Per hour'].map((name, n) => (
              <th key={name} scope="col" className={cx(tableHead, n > 0 && 'text-right')}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {gpus.map(gpu => (
            <tr key={gpu.name} className={tableRow}>
              <th scope="row" className={cx(tableCell, 'font-semi whitespace-nowrap')}>
                {gpu.name}
              </th>
              <td className={cx(tableCell, 'text-right whitespace-nowrap')}>{gpu.memory_gb} GB</td>
              <td className={cx(tableCell, 'text-right')}>{gpu.vcpus}</td>
              <td className={cx(tableCell, 'text-right whitespace-nowrap')}>{gpu.ram_gb} GB</td>
              <td className={cx(tableCell, 'text-right')}>{formatMoney(gpu.hourly_price)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
