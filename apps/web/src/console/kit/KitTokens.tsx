import { KitRow, KitSection } from './KitSection.tsx'

const grounds = [
  'bg-page',
  'bg-sunken',
  'bg-raised',
  'bg-hover',
  'bg-selected',
  'bg-action',
  'bg-tape',
  'bg-danger-fill',
]
const softs = [
  'bg-ok-soft text-ok',
  'bg-warn-soft text-warn',
  'bg-danger-soft text-danger',
  'bg-info-soft text-info',
  'bg-idle-soft text-idle',
  'bg-accent-soft text-link',
]
const charts = ['bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5', 'bg-chart-6']
const types = [
  { name: 'stat', className: 'text-stat tabular-nums' },
  { name: 'title', className: 'text-title' },
  { name: 'heading', className: 'text-heading' },
  { name: 'lead', className: 'text-lead' },
  { name: 'prose', className: 'text-prose' },
  { name: 'body', className: 'text-body' },
  { name: 'label', className: 'text-label' },
  { name: 'code', className: 'font-mono text-code' },
]

export function KitTokens() {
  return (
    <KitSection title="Tokens">
      <KitRow name="Grounds">
        {grounds.map(name => (
          <span key={name} className={`size-12 rounded-panel border border-line ${name}`} title={name} />
        ))}
      </KitRow>
      <KitRow name="Roles">
        {softs.map(name => (
          <span key={name} className={`rounded-panel px-3 py-2 ${name}`}>
            {name.split('-')[1]}
          </span>
        ))}
      </KitRow>
      <KitRow name="Charts">
        {charts.map(name => (
          <span key={name} className={`size-8 rounded-tag ${name}`} title={name} />
        ))}
      </KitRow>
      <KitRow name="Type">
        {types.map(({ name, className }) => (
          <span key={name} className={className}>
            {name} $4.10 llama-ft-07
          </span>
        ))}
      </KitRow>
    </KitSection>
  )
}
