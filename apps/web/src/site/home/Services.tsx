import { maxVolumeGb, minVolumeGb, volumePerGbMonth } from '@ingot/contracts/volume/prices'
import type { ReactNode } from 'react'
import { buttonClass } from '../../ui/button-class.ts'
import { cx } from '../../ui/cx.ts'
import { formatGb, formatMoney } from '../../ui/format.ts'
import { Availability, type State } from '../parts/Planned.tsx'
import { Section } from '../parts/Section.tsx'
import { cheapestHourly, costOf } from '../cost-of.ts'
import { useShown, type Words, wordsOf } from '../shown.ts'

interface Service {
  readonly title: string
  readonly state: State
  readonly description: string
  readonly features: readonly string[]
  readonly advertised: string
  readonly charged: Words
  /** Where the button leads once somebody is signed in. */
  readonly console: string
  readonly waitlist?: string
  readonly waitsFor?: string
}

const services: readonly [Service, ...Service[]] = [
  {
    title: 'GPU Instances',
    state: 'available',
    description:
      'A machine with one to eight GPUs, from a template, with a shell in your browser. It is yours while it runs and costs nothing while it does not.',
    features: [
      'The price is on the button before you press it',
      'Billed by the second, stopped for free',
      'The disk and the shell are there when you come back',
      'Everything the console does, over an API',
    ],
    advertised: 'from $0.50/hour',
    charged: shown => `from ${cheapestHourly(shown)} per hour`,
    console: '/console/instances',
  },
  {
    title: 'Serverless Computing',
    state: 'planned',
    description: 'Functions with a GPU, paid by the request.',
    features: ['Scales to zero', 'Limits that you set'],
    advertised: 'from $0.0001/request, planned',
    charged: 'nothing yet',
    console: '/console/templates',
    waitlist: '/products/serverless-functions#waiting-list',
  },
  {
    title: 'Cloud Storage',
    state: 'part',
    description:
      'Network volumes that outlive an instance and move between them, with snapshots. Object storage is planned.',
    features: [
      `Volumes of ${formatGb(minVolumeGb)} to ${formatGb(maxVolumeGb)}, paid by the month`,
      'Files without renting a card, in the browser and over the API',
    ],
    advertised: 'from $0.02/GB, planned',
    charged: `${formatMoney(volumePerGbMonth)} per GB per month for a volume`,
    console: '/console/network-volumes',
    waitlist: '/products/cloud-storage#waiting-list',
    waitsFor: 'Object storage',
  },
]

/** One service is there and takes the room; what is planned, or there in part, stands beside it. */
export function Services() {
  const [first, ...others] = services
  return (
    <Section id="services" title="Services">
      <div
        data-island="by-session"
        className="grid rounded-panel border border-line bg-raised lg:grid-cols-5"
      >
        <ServiceCard service={first} className="p-6 lg:col-span-3 lg:p-8">
          <Examples />
        </ServiceCard>
        <div className="flex flex-col border-line max-lg:border-t lg:col-span-2 lg:border-l">
          {others.map(service => (
            <ServiceCard
              key={service.title}
              service={service}
              className="grow border-line p-6 not-first:border-t"
              small
            />
          ))}
        </div>
      </div>
    </Section>
  )
}

interface ServiceCardProps {
  readonly service: Service
  readonly className: string
  readonly small?: boolean
  readonly children?: ReactNode
}

const examples = [
  { gpu: 'T4', text: 'A notebook for an afternoon', hours: 5n },
  { gpu: 'A100 80GB', text: 'Fine-tuning overnight', hours: 10n },
  { gpu: 'H100', text: 'A demo for half a day', hours: 4n },
] as const

/** What the hourly price comes to. */
function Examples() {
  const shown = useShown()
  return (
    <dl className="tabular-nums">
      {examples.map(({ gpu, text, hours }) => (
        <div key={gpu} className="flex justify-between gap-4 border-t border-line py-2">
          <dt>
            {text}: {String(hours)} hours of one {gpu}
          </dt>
          <dd className="font-semi">{costOf(shown, gpu, 1, hours)}</dd>
        </div>
      ))}
    </dl>
  )
}

function ServiceCard({ service, className, small = false, children }: ServiceCardProps) {
  const shown = useShown()
  return (
    <article className={cx('flex flex-col gap-4', className)}>
      <div>
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h3 className={small ? 'text-title' : 'text-h2-site'}>{service.title}</h3>
          <Availability state={service.state} />
        </div>
        <p className={cx('mt-2', small ? 'text-muted' : 'max-w-prose text-lead text-muted')}>
          {service.description}
        </p>
      </div>
      <ul className={small ? 'text-muted' : 'grid gap-x-8 gap-y-2 text-prose sm:grid-cols-2'}>
        {service.features.map(feature => (
          <li key={feature} className={small ? undefined : 'border-t border-line pt-2'}>
            {feature}
          </li>
        ))}
      </ul>
      {children}
      <div className="mt-auto flex flex-wrap items-end justify-between gap-4 pt-2">
        <p className="tabular-nums">
          <span className="block text-muted">Advertised {service.advertised}</span>
          <span className={small ? 'font-semi' : 'text-title'}>
            You are charged {wordsOf(service.charged, shown)}
          </span>
        </p>
        <div className="flex flex-wrap gap-2">
          {service.waitlist && (
            <a
              href={service.waitlist}
              aria-label={`Waiting list for ${service.waitsFor ?? service.title}`}
              className={buttonClass('ghost')}
            >
              Waiting list
            </a>
          )}
          <a
            href="/signin"
            data-signed-in={service.console}
            aria-label={`Get started with ${service.title}`}
            className={buttonClass('secondary')}
          >
            Get started
          </a>
        </div>
      </div>
    </article>
  )
}
