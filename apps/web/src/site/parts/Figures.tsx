interface FiguresProps {
  readonly items: readonly { readonly value: string; readonly label: string }[]
}

/** Figures that count up when first seen (islands/count-up.ts). The final value is what stands in the page. */
export function Figures({ items }: FiguresProps) {
  return (
    <dl
      data-island="count-up"
      className="grid grid-cols-2 gap-x-6 gap-y-6 sm:auto-cols-fr sm:grid-flow-col sm:grid-cols-none"
    >
      {items.map(({ value, label }) => (
        <div key={label} className="flex flex-col-reverse justify-end">
          <dt className="text-label text-muted">{label}</dt>
          <dd data-count className="text-stat tabular-nums">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
