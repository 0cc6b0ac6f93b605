interface Row {
  readonly name: string
  readonly ours: number
  readonly floor: number
  readonly floorName: string
}

interface CompareProps {
  readonly unit: string
  readonly better: 'higher' | 'lower'
  readonly rows: readonly Row[]
}

const width = 100
const height = 6

/** A measurement beside its floor from the same run: two bars on one scale, and the ratio in words. */
export function Compare({ unit, better, rows }: CompareProps) {
  return (
    <figure className="my-6 rounded-panel border border-line px-4 py-3">
      {rows.map(({ name, ours, floor, floorName }) => {
        const most = Math.max(ours, floor)
        return (
          <div key={name}>
            <figcaption className="flex flex-wrap justify-between gap-x-4 text-heading">
              {name}
              <span className="text-label font-medium text-muted">
                {(ours / floor).toFixed(2)} of the floor; {better} is better
              </span>
            </figcaption>
            <Bar name="Ingot" value={ours} most={most} unit={unit} fill="fill-chart-1" />
            <Bar name={floorName} value={floor} most={most} unit={unit} fill="fill-chart-6" />
          </div>
        )
      })}
    </figure>
  )
}

interface BarProps {
  readonly name: string
  readonly value: number
  readonly most: number
  readonly unit: string
  readonly fill: string
}

function Bar({ name, value, most, unit, fill }: BarProps) {
  return (
    <div className="mt-3">
      <p className="flex justify-between gap-4 text-body">
        <span className="text-muted">{name}</span>
        <span className="tabular-nums">
          {value.toLocaleString('en')} {unit}
        </span>
      </p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="mt-1 h-2 w-full"
      >
        <rect width={(value / most) * width} height={height} className={fill} />
      </svg>
    </div>
  )
}
