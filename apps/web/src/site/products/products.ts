/** What is on the products page: what is sold today, and what is planned. */
import { extraStoragePerGbMonth, includedStorageGb } from '@ingot/contracts/catalog'
import type { PlannedProduct } from '@ingot/contracts/site'
import { builtInTemplates } from '@ingot/contracts/templates'
import {
  maxVolumeGb,
  minVolumeGb,
  snapshotPerGbMonth,
  volumePerGbMonth,
} from '@ingot/contracts/volume/prices'
import { formatGb, formatMoney } from '../../ui/format.ts'
import { cheapestHourly } from '../cost-of.ts'
import type { State } from '../parts/Planned.tsx'
import type { Words } from '../shown.ts'

export const productCategories = [
  { id: 'compute', label: 'Compute' },
  { id: 'serverless', label: 'Serverless' },
  { id: 'storage', label: 'Storage' },
  { id: 'ai-ml', label: 'AI/ML' },
  { id: 'data', label: 'Data' },
  { id: 'edge', label: 'Edge' },
] as const
export type ProductCategory = (typeof productCategories)[number]['id']

export interface Product {
  readonly name: string
  readonly category: ProductCategory
  readonly state: State
  readonly text: Words
  readonly facts: readonly Words[]
  /** What is charged today; null where nothing is for sale. */
  readonly charged: Words | null
  /** A figure of the marketing text, with what kind of figure it is. */
  readonly advertised?: string
  /** Its waiting list. */
  readonly waitlist?: PlannedProduct
  /** What is waited for, where that is a part of it. */
  readonly waitsFor?: string
  /** There is a page about it. */
  readonly hasPage?: boolean
  /** Where its documentation starts. */
  readonly docs?: string
}

const storageRate = formatMoney(extraStoragePerGbMonth)

export const products: readonly Product[] = [
  {
    name: 'GPU Instances',
    category: 'compute',
    state: 'available',
    text: 'A machine with one, two, four or eight GPUs, started from a template, with a shell in the browser. Stopped, it keeps its disk and costs nothing.',
    facts: [
      ({ gpus }) => {
        const sizes = gpus.map(gpu => gpu.memory_gb)
        return `${gpus.length} GPU models, ${Math.min(...sizes)} to ${Math.max(...sizes)} GB of memory each`
      },
      'Billed by the second from a prepaid balance',
      'Hourly, or 3 months or 1 year paid at once',
    ],
    charged: shown => `from ${cheapestHourly(shown)} per hour`,
    hasPage: true,
    docs: '/docs#gpu-computing',
  },
  {
    name: 'Preemptible Instances',
    category: 'compute',
    state: 'planned',
    text: 'The same machines at a lower price, with the condition that they may be stopped when somebody pays the full one. For work that saves its state.',
    facts: ['A warning before the stop', 'The disk is kept'],
    charged: null,
    advertised: 'Planned price: up to 80% less than an hourly instance',
    waitlist: 'preemptible-instances',
  },
  {
    name: 'Serverless Functions',
    category: 'serverless',
    state: 'planned',
    text: 'A function with a GPU behind an address. It scales to nothing when nobody calls it, and you pay for requests instead of hours.',
    facts: ['Scale to zero', 'Limits you set: instances, timeout, concurrency'],
    charged: null,
    advertised: 'Planned price: from $0.0001 per request',
    waitlist: 'serverless-functions',
    hasPage: true,
  },
  {
    name: 'Cloud Storage',
    category: 'storage',
    state: 'part',
    text: 'Where data lives: the disk of each instance and network volumes today, object storage with an S3 interface planned.',
    facts: [
      `Instance disk: ${includedStorageGb} GB included, then ${storageRate} per GB per month`,
      'Object storage: planned',
    ],
    charged: `disks and volumes ${storageRate} per GB per month`,
    advertised: 'Planned price of object storage: $0.025 per GB per month',
    waitlist: 'cloud-storage',
    waitsFor: 'Object storage',
    hasPage: true,
  },
  {
    name: 'Network Volumes',
    category: 'storage',
    state: 'available',
    text: 'Disks with a life of their own in a region: attached to one instance after another, grown when they are full, kept as snapshots, and filled from the browser without renting a card.',
    facts: [
      `${formatGb(minVolumeGb)} to ${formatGb(maxVolumeGb)}`,
      'US-East, US-West, EU-West and Asia-Pacific',
      `Snapshots at ${formatMoney(snapshotPerGbMonth)} per GB stored and month`,
    ],
    charged: `${formatMoney(volumePerGbMonth)} per GB per month, a month in advance`,
    docs: '/docs/volumes',
  },
  {
    name: 'Templates',
    category: 'ai-ml',
    state: 'available',
    text: 'What an instance starts from: PyTorch, TensorFlow, vLLM, ComfyUI, JupyterLab, or a plain system with CUDA.',
    facts: [
      `${builtInTemplates.length} built-in templates`,
      'Each names its image; in a sandbox it is not loaded, and the programs are those of the host',
    ],
    charged: 'included with every instance',
    docs: '/docs#getting-started',
  },
  {
    name: 'Model Registry',
    category: 'ai-ml',
    state: 'planned',
    text: 'Weights with versions, next to the machines that load them, so that a start does not begin with a download.',
    facts: ['Versions and checksums', 'Loaded by name from an instance'],
    charged: null,
    advertised: 'Planned price: $0.05 per GB per month',
    waitlist: 'model-registry',
  },
  {
    name: 'Usage Data',
    category: 'data',
    state: 'available',
    text: 'Every charge, every second of running time and every event of an instance, in the console and over the API that the console itself uses.',
    facts: ['Each stretch of running time with its cost', 'A live stream of events'],
    charged: 'included',
    docs: '/docs/api',
  },
  {
    name: 'Edge Computing',
    category: 'edge',
    state: 'planned',
    text: ({ regions }) =>
      `Inference close to whoever asks, across 20+ regions. Today there ${regions.length === 1 ? 'is one region' : `are ${regions.length} regions`}, and an instance runs in the one you choose.`,
    facts: ['One address, answered nearby'],
    charged: null,
    waitlist: 'edge-computing',
  },
]

/** Lower-cased name with hyphens. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

export const productPath = (product: Product): string => `/products/${slugOf(product.name)}`
