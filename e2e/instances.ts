/** Instances for tests that are about something else. */
import { builtInTemplates } from '@ingot/contracts/templates'
import type { Client } from '@ingot/sdk/client'
import { expect } from './product.ts'

export const configuration = {
  template_id: builtInTemplates[0]!.id,
  gpu_type: 'A40',
  gpu_count: 1,
  region: 'US-East',
  system_storage_gb: 40,
  data_storage_gb: 100,
  billing_period: 'hourly',
} as const

/** $100 of the faucet. */
export async function pay(client: Client): Promise<void> {
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '100' })
  await expect.poll(async () => Number((await client.wallet.get()).balance_usd)).toBeGreaterThan(50)
}

/** Paid for by the faucet. */
export async function runningInstance(client: Client, name: string) {
  await pay(client)
  const made = await client.instances.create({ ...configuration, name })
  await expect.poll(async () => (await client.instances.get({ id: made.id })).status).toBe('running')
  return made
}
