import { includedStorageGb } from '@ingot/contracts/catalog'
import { builtInTemplates } from '@ingot/contracts/templates'
import { claims, statistics } from '../content/sample.ts'
import { Figures } from '../parts/Figures.tsx'
import { Sample } from '../parts/Sample.tsx'
import { useShown } from '../shown.ts'

/** What can be counted, and beside it what only an operator can claim. */
export function Stats() {
  const { gpus, regions } = useShown()
  const counted = [
    { value: String(gpus.length), label: 'GPU models in the catalogue' },
    { value: String(builtInTemplates.length), label: 'Templates to start from' },
    { value: String(regions.length), label: regions.length === 1 ? 'Region' : 'Regions' },
    { value: `${includedStorageGb} GB`, label: 'Disk included with each instance' },
  ]
  return (
    <section
      aria-labelledby="figures"
      className="grid gap-8 border-t border-line py-12 lg:grid-cols-2 lg:gap-12"
    >
      <div>
        <h2 id="figures" className="pb-6 text-heading">
          In figures
        </h2>
        <Figures items={counted} />
      </div>
      <Sample sample={statistics.sample || claims.sample} className="p-6">
        <Figures items={statistics.items} />
        <ul className="mt-5 flex flex-wrap gap-x-6 gap-y-1 border-t border-line pt-4 text-muted tabular-nums">
          {claims.items.map(claim => (
            <li key={claim}>{claim}</li>
          ))}
        </ul>
      </Sample>
    </section>
  )
}
