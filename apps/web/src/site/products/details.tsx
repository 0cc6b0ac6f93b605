/** The three products that have a page: the problem, the smallest working example, its price, and its limits. */
import {
  dataStorageGb,
  extraStoragePerGbMonth,
  gpuCounts,
  includedStorageGb,
  systemStorageGb,
} from '@ingot/contracts/catalog'
import type { PlannedProduct } from '@ingot/contracts/site'
import { builtInTemplates } from '@ingot/contracts/templates'
import { formatUsd } from '@ingot/contracts/money'
import {
  defaultVolumeGb,
  maxVolumeGb,
  minVolumeGb,
  snapshotPerGbMonth,
  volumeMonthMicro,
  volumePerGbMonth,
} from '@ingot/contracts/volume/prices'
import { formatGb, formatMoney } from '../../ui/format.ts'
import { cheapestHourly, costOf } from '../cost-of.ts'
import type { State } from '../parts/Planned.tsx'
import type { Words } from '../shown.ts'

interface Fact {
  readonly name: string
  readonly value: Words
}

export interface ProductDetail {
  readonly name: string
  readonly state: State
  readonly lead: string
  /** Where its documentation starts. */
  readonly docs?: string
  readonly waitlist?: PlannedProduct
  /** What is waited for, where that is a part of it. */
  readonly waitsFor?: string
  /** What one can rely on, as a table. */
  readonly sheetTitle: string
  readonly sheet: readonly Fact[]
  readonly parts: readonly { readonly id: string; readonly title: string; readonly text: readonly string[] }[]
  readonly example?: {
    readonly label: string
    readonly code: (origin: string) => string
    readonly note: Words
  }
  readonly limits: readonly string[]
}

const storageRate = formatMoney(extraStoragePerGbMonth)
const first = builtInTemplates[0]!

export const productDetails: Readonly<Record<string, ProductDetail>> = {
  'gpu-instances': {
    name: 'GPU Instances',
    state: 'available',
    lead: 'A machine with GPUs that is yours from the moment it runs to the moment you stop it, and costs nothing in between.',
    sheetTitle: 'What you choose',
    sheet: [
      { name: 'GPU', value: ({ gpus }) => gpus.map(gpu => gpu.name).join(', ') },
      { name: 'Count', value: `${gpuCounts.slice(0, -1).join(', ')} or ${gpuCounts.at(-1)}` },
      { name: 'Region', value: ({ regions }) => regions.join(', ') || 'None at present' },
      { name: 'Template', value: builtInTemplates.map(template => template.name).join(', ') },
      {
        name: 'System disk',
        value: systemStorageGb.map(formatGb).join(', '),
      },
      { name: 'Data disk', value: dataStorageGb.map(formatGb).join(', ') },
      { name: 'Billing', value: 'By the second, or 3 months or 1 year paid at once' },
    ],
    parts: [
      {
        id: 'billing',
        title: 'The meter runs only while the instance runs',
        text: [
          'The meter starts when the instance runs, not when you press Deploy, and stops at the millisecond you ask it to stop. Starting, stopping and being stopped cost nothing. Deploying charges the first hour in advance; what you do not use of it returns to your balance when you delete the instance.',
          'Before every deploy the button shows the price that will be charged. If the price changed since the page was loaded, the deploy is refused instead of charged.',
        ],
      },
      {
        id: 'shell',
        title: 'A shell that waits for you',
        text: [
          'The terminal opens in the browser. The shell runs on the instance, not in the page: close the tab, lose the network, restart the laptop, and it is where you left it with everything it printed. An upgrade of the service does not end it either.',
        ],
      },
      {
        id: 'failure',
        title: 'What happens when something goes wrong',
        text: [
          'A start that fails says why and charges nothing. A machine that is lost is charged up to its end, or up to the last look that found it when nobody knows more. When the balance ends, instances stop and their disks stay.',
        ],
      },
    ],
    example: {
      label: 'Deploy one A40 over HTTP',
      code: origin =>
        [
          `curl ${origin}/v1/instances \\`,
          '  -H "Authorization: Bearer $INGOT_API_KEY" \\',
          `  -H "Content-Type: application/json" -d '{`,
          '    "name": "first", "gpu_type": "A40", "gpu_count": 1,',
          '    "region": "US-East", "billing_period": "hourly",',
          '    "system_storage_gb": 40, "data_storage_gb": 100,',
          `    "template_id": "${first.id}" }'`,
        ].join('\n'),
      note: shown =>
        `Three hours of it cost ${costOf(shown, 'A40', 1, 3n)}. Cards start at ${cheapestHourly(shown)} per hour.`,
    },
    limits: [
      'The GPU, its count and the region of an instance cannot be changed afterwards. Deploy another with the settings you want.',
      'Disks belong to their instance and are deleted with it. What should outlive it belongs on a network volume.',
      'A region marked “simulated” on the floor board has no real card: CUDA programs do not run there, and its GPUs are not sold for real money.',
      'Instances in a sandbox have the programs of their host; the image of the template is not loaded, and nothing holds a disk to its size.',
      'One network volume for an instance, and one instance for a volume, both in the same region.',
    ],
  },
  'serverless-functions': {
    name: 'Serverless Functions',
    state: 'planned',
    lead: 'A function with a GPU behind an address, paid by the request. Planned: nothing on this page can be bought yet.',
    waitlist: 'serverless-functions',
    sheetTitle: 'Settings, as they are planned',
    sheet: [
      { name: 'Timeout', value: '30 s' },
      { name: 'Instances', value: 'at least 0, at most 100' },
      { name: 'Scale up', value: 'above 70% load' },
      { name: 'Scale down', value: 'below 30% load' },
      { name: 'Concurrency', value: '10 requests per instance' },
      { name: 'Price', value: 'from $0.0001 per request, as planned; nothing is charged today' },
    ],
    parts: [
      {
        id: 'why',
        title: 'What it is for',
        text: [
          'A model that is asked twenty times an hour does not need a machine of its own, and a model that is asked twenty times a second needs more than one. A function is the part in between: it starts when a request comes, grows with the queue, and is gone when the queue is empty.',
        ],
      },
      {
        id: 'today',
        title: 'What to use until then',
        text: [
          'vLLM on a GPU instance serves a model behind an OpenAI-compatible API. It runs until you stop it, so it suits steady traffic and working hours. A script that stops the instance over the API each evening comes close to scaling to zero.',
        ],
      },
    ],
    limits: [
      'No date is promised. Who is on the waiting list hears first.',
      'The figures above are the plan and may change before anything is sold.',
    ],
  },
  'cloud-storage': {
    name: 'Cloud Storage',
    state: 'part',
    docs: '/docs/volumes',
    lead: 'Disks that belong to an instance, volumes that outlive it, and snapshots of those. Object storage is planned.',
    waitlist: 'cloud-storage',
    waitsFor: 'Object storage',
    sheetTitle: 'What there is, and when',
    sheet: [
      {
        name: 'Instance disk',
        value: `Available. ${includedStorageGb} GB included, then ${storageRate} per GB per month while the instance runs`,
      },
      {
        name: 'Network volumes',
        value: `Available. ${formatGb(minVolumeGb)} to ${formatGb(maxVolumeGb)}, ${formatMoney(volumePerGbMonth)} per GB per month, a month in advance`,
      },
      {
        name: 'Snapshots',
        value: `Available. ${formatMoney(snapshotPerGbMonth)} per GB per month of what is stored, a month in advance`,
      },
      {
        name: 'Regions of volumes',
        value: 'US-East, US-West, EU-West and Asia-Pacific; none in Middle-East',
      },
      {
        name: 'Block storage',
        value: `Documented figure: $0.10 per GB per month, 10 GB to 16 TB, up to 64,000 IOPS. Not for sale as such: network volumes are`,
      },
      { name: 'Object storage', value: 'Planned. Planned price $0.025 per GB per month; not for sale yet' },
      { name: 'Model registry', value: 'Planned. Planned price $0.05 per GB per month; not for sale yet' },
    ],
    parts: [
      {
        id: 'disk',
        title: 'The disk of an instance',
        text: [
          `System and data disk count together, and the first ${includedStorageGb} GB of them cost nothing. Above that each gigabyte is ${storageRate} per month, spread over 720 hours and metered with the instance: stopped, the disk is kept and costs nothing.`,
          'What you write below your home directory, /workspace, /opt, /srv and /var survives a stop, a start and a restart. /tmp is emptied at each start. Deleting the instance deletes the disk.',
        ],
      },
      {
        id: 'volumes',
        title: 'Network volumes',
        text: [
          'A volume is made once in a region and attached to one instance after another. It is mounted at /volumes/<name> and linked as /workspace/<name>, also to an instance that runs, where its region can do that. It stays when the instance is deleted, and can be made larger at any time, never smaller.',
          `The first month is paid when you create it, and each further one when it begins: ${formatMoney(formatUsd(volumeMonthMicro(defaultVolumeGb)))} for ${formatGb(defaultVolumeGb)}. Delete it, and what is left of its month is back in your balance at once. If a month cannot be paid the volume becomes read-only and is deleted seven days later; a top-up before that restores it.`,
        ],
      },
      {
        id: 'snapshots',
        title: 'Snapshots',
        text: [
          'A snapshot keeps what a volume holds at one moment, with a checksum that every restore is held to. It is restored to a new volume of at least the same size, lives on when its volume is deleted, and is paid for by what is stored of it.',
        ],
      },
      {
        id: 'files',
        title: 'Files without renting a card',
        text: [
          'Browse, preview, upload and download what is on a volume, on the disk of a stopped instance, or on a running one, in the browser or over the API. An upload that is cut off goes on where it was. No instance has to run for it.',
        ],
      },
    ],
    example: {
      label: 'Create a volume over HTTP',
      code: origin =>
        [
          `curl ${origin}/v1/volumes \\`,
          '  -H "Authorization: Bearer $INGOT_API_KEY" \\',
          `  -H "Content-Type: application/json" -d '{`,
          `    "name": "weights", "size_gb": ${defaultVolumeGb}, "region": "US-East",`,
          `    "quoted_total": "${formatUsd(volumeMonthMicro(defaultVolumeGb))}" }'`,
        ].join('\n'),
      note: 'The price that you saw goes with it: if it is another by then, nothing is made and nothing is charged.',
    },
    limits: [
      'Nothing is copied across regions, and a snapshot lies beside its volume: both are in one place. An important result should not exist in one place only.',
      'Where the region says that it does not enforce sizes, nothing stops a program that writes more than was paid for.',
      'On real disks a snapshot is taken while no instance runs with the volume.',
      'The durability figure on the front page is sample content, not a promise.',
    ],
  },
}
