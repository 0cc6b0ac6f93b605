import { useBlock } from '../content/content.ts'
import { Sample } from '../parts/Sample.tsx'

/** Customers, as wordmarks: no picture of a company that has not given one. */
export function LogoStrip() {
  const logos = useBlock('logos')
  if (!logos) return null
  return (
    <Sample sample={logos.sample} className="mb-12 px-6 py-5">
      <ul aria-label="Customers" className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3">
        {logos.content.map(name => (
          <li key={name} className="text-heading text-muted">
            {name}
          </li>
        ))}
      </ul>
    </Sample>
  )
}
