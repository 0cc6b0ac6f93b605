import { includedStorageGb } from '@ingot/contracts/catalog'
import { builtInTemplates } from '@ingot/contracts/templates'
import { useBlock } from '../content/content.ts'
import { Figures } from '../parts/Figures.tsx'
import { Sample } from '../parts/Sample.tsx'
import { useShown } from '../shown.ts'

/** What can be counted, and beside it what only an operator can claim. */
export function Stats() {
  const { gpus, regions } = useShown()
  const statistics = useBlock('statistics')
  const claims = useBlock('claims')
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
      {/* Each with its own mark: one may be the operator's while the other is a sample. */}
      <div className="flex flex-col gap-5">
        {statistics && (
          <Sample sample={statistics.sample} className="p-6">
            <Figures items={statistics.content} />
          </Sample>
        )}
        {claims && (
          <Sample sample={claims.sample} className="px-6 py-4">
            <ul className="flex flex-wrap gap-x-6 gap-y-1 text-muted tabular-nums">
              {claims.content.map(claim => (
                <li key={claim}>{claim}</li>
              ))}
            </ul>
          </Sample>
        )}
      </div>
    </section>
  )
}
