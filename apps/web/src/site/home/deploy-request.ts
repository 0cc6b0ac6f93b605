/** The call on the front page. Typed by the contract and checked against its schema: it is what the API accepts. */
import { deployDefaults, priceOf } from '@ingot/contracts/catalog'
import type { instances } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import type { Input } from '@ingot/contracts/operation'
import type { Shown } from '@ingot/contracts/pages'
import { builtInTemplates } from '@ingot/contracts/templates'
import { gpuNamed } from '../cost-of.ts'

export const deployRequest = {
  name: 'first',
  template_id: builtInTemplates[0]!.id,
  ...deployDefaults,
  gpu_type: 'H100',
} satisfies Input<typeof instances.create>

/** What the answer says an hour of it costs. */
export const deployHourlyCost = (shown: Shown): string =>
  formatUsd(priceOf(gpuNamed(shown, deployRequest.gpu_type), deployRequest, 'hourly').hourly)

const pair = (key: keyof typeof deployRequest): string => `"${key}": ${JSON.stringify(deployRequest[key])}`

/** As one would paste it. */
export const deployCommand = (origin: string): string =>
  [
    `curl ${origin}/v1/instances \\`,
    `  -H "Authorization: Bearer $INGOT_API_KEY" \\`,
    `  -H "Content-Type: application/json" -d '{`,
    `    ${pair('name')}, ${pair('gpu_type')}, ${pair('gpu_count')},`,
    `    ${pair('region')}, ${pair('billing_period')},`,
    `    ${pair('system_storage_gb')}, ${pair('data_storage_gb')},`,
    `    ${pair('template_id')} }'`,
  ].join('\n')
