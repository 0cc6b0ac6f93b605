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

/** Types a line into a shell of the instance and waits for what it says. */
export async function typeInto(
  client: Client,
  url: string,
  id: string,
  line: string,
  answer: string,
  answerMs = 10_000,
): Promise<void> {
  const { url: path } = await client.instances.terminal({ id, terminal_id: 'typed' })
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}&cols=200&rows=50`)
  socket.binaryType = 'arraybuffer'
  let text = ''
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') socket.send(Buffer.from(`${line}\r`))
    else text += Buffer.from(data as ArrayBuffer).toString()
  })
  await expect.poll(() => text, { timeout: answerMs }).toContain(answer)
  socket.close()
}
