import type { InstanceLoad } from '@ingot/contracts/instance/watching'
import { HeatStrip } from '../../../ui/HeatStrip.tsx'

interface LoadStripProps {
  readonly name: string
  readonly load: InstanceLoad | undefined
  /** Cells that are put together: the highest of them counts. */
  readonly together?: number
  readonly wide?: boolean
}

/** The GPU load of a day; in its place a word where the GPU is made up or cannot be measured. */
export function LoadStrip({ name, load, together = 1, wide }: LoadStripProps) {
  if (!load) return null
  if (load.simulated) return <span className="text-muted">Simulated</span>
  if (!load.measured) return <span className="text-muted">Not measured</span>
  const cells = Array.from({ length: load.cells.length / together }, (_, at) => {
    const known = load.cells.slice(at * together, (at + 1) * together).filter(cell => cell !== null)
    return known.length ? Math.max(...known) : null
  })
  return <HeatStrip label={`GPU load of ${name}, last 24 hours`} values={cells} wide={wide} />
}
