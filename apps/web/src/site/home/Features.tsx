import { Availability, type State } from '../parts/Planned.tsx'
import { Section } from '../parts/Section.tsx'
import { useShown, type Words, wordsOf } from '../shown.ts'

interface Feature {
  readonly title: string
  /** What it means. */
  readonly text: string
  /** How much of it there is today. */
  readonly today: Words
  readonly state: State
}

const features: readonly Feature[] = [
  {
    title: 'AI-first infrastructure',
    text: 'GPU clusters that grow with the work and shrink behind it.',
    today: 'Today: up to eight GPUs in one instance. Clusters and auto-scaling are planned.',
    state: 'part',
  },
  {
    title: 'Instant one-click deployment',
    text: 'From a template to a shell, ready in under 60 seconds.',
    today: 'A start that fails says why, and nothing is charged before the instance runs.',
    state: 'available',
  },
  {
    title: 'Enterprise security',
    text: 'SOC 2, end-to-end encryption, VPC isolation and role-based access.',
    today:
      'Today: isolated instances, second factors, single sign-on and roles. Certificates are the operator’s to obtain.',
    state: 'part',
  },
  {
    title: 'Serverless GPU functions',
    text: 'A function behind an address, from nothing to a hundred instances and back.',
    today: 'The settings are written down; nothing can be bought yet.',
    state: 'planned',
  },
  {
    title: 'Developer APIs',
    text: 'One API for everything the console does, and SDKs for Python and JavaScript.',
    today: 'Today: the HTTP API and its OpenAPI document. The SDKs are in the works.',
    state: 'part',
  },
  {
    title: 'Global edge network',
    text: 'A global edge network across 20+ regions: inference close to whoever asks.',
    today: ({ regions }) =>
      `Today: ${regions.length} ${regions.length === 1 ? 'region' : 'regions'}, and you choose where an instance runs.`,
    state: 'planned',
  },
]

/** One frame ruled into six, each with what is true of it now. */
export function Features() {
  const shown = useShown()
  return (
    <Section
      id="features"
      title="Six things it is made for"
      lead="Each with what of it exists today, because a list of wishes looks the same as a list of features."
    >
      <ul className="grid border-t border-l border-line sm:grid-cols-2 lg:grid-cols-3">
        {features.map(feature => (
          <li key={feature.title} className="flex flex-col gap-2 border-r border-b border-line p-5">
            <h3 className="text-title">{feature.title}</h3>
            <p className="text-prose">{feature.text}</p>
            <p className="text-muted">{wordsOf(feature.today, shown)}</p>
            <p className="mt-auto pt-2">
              <Availability state={feature.state} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  )
}
