/** The product under test, as a process with real durability, and a customer in it. */
import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@ingot/sdk/client'
import { builtInTemplates } from '@ingot/contracts/templates'
import { freePort } from '../apps/server/src/product/testing/free-port.ts'
import { type Product, signIn, startProduct } from '../apps/server/src/product/test-process.ts'

export interface Bench {
  readonly product: Product
  readonly client: Client
  readonly token: string
  readonly dir: string
  close(): Promise<void>
}

export const a40 = {
  template_id: builtInTemplates[0]!.id,
  gpu_type: 'A40',
  gpu_count: 1,
  region: 'US-East',
  system_storage_gb: 40,
  data_storage_gb: 100,
  billing_period: 'hourly',
} as const

export async function startBench(): Promise<Bench> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-bench-'))
  await chmod(dir, 0o711)
  // The bench acts for many addresses: with one it would measure nothing but the limits of that one.
  const product = await startProduct({
    dir,
    env: { INGOT_TRUST_PROXY: '1', INGOT_SSH_PORT: String(await freePort()) },
  })
  const client = await signIn(product.url, product.admin!)
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '1000' })
  while (Number((await client.wallet.get()).balance_usd) === 0)
    await new Promise(resolve => setTimeout(resolve, 50))
  const response = await fetch(`${product.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(product.admin),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return {
    product,
    client,
    token: access_token,
    dir,
    async close() {
      for (const { id } of (await client.instances.list({ limit: 100 })).items)
        await client.instances.delete({ id }).catch(() => {})
      while ((await client.instances.list()).items.length)
        await new Promise(resolve => setTimeout(resolve, 50))
      await product.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
