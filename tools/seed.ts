/**
 * Fills a development server with something to look at, through its public API as anybody could: a confirmed account,
 * test USDT and a few instances on both drivers. Run again, it adds nothing.
 *
 *   node tools/seed.ts http://localhost:8081
 */
import { builtInTemplates } from '@ingot/contracts/templates'
import { createClient } from '@ingot/sdk/client'

const url = process.argv[2] ?? 'http://localhost:8080'
const account = { email: 'demo@ingot.local', password: 'ingot-demo' }

async function auth<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${url}/auth/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

const signIn = () => auth<{ access_token: string }>('/token?grant_type=password', account)

async function signUp(): Promise<void> {
  await auth('/signup', { ...account, data: { first_name: 'Demo', last_name: 'User' } })
  const { items } = await createClient({ baseUrl: url }).dev.mail()
  const link = items.find(mail => mail.to === account.email)?.links[0]
  if (!link) throw new Error('the confirmation mail did not arrive')
  await fetch(url + new URL(link).pathname + new URL(link).search, { redirect: 'manual' })
}

const session = await signIn().catch(async () => {
  await signUp()
  return signIn()
})
const client = createClient({ baseUrl: url, token: () => session.access_token })

if ((await client.instances.list()).items.length === 0) {
  const { walletAddress } = await client.wallet.usdtConfig()
  await client.dev.faucet({ address: walletAddress, amount_usdt: '150' })
  while (Number((await client.wallet.get()).balance_usd) === 0)
    await new Promise(resolve => setTimeout(resolve, 200))
  const shape = {
    gpu_count: 1,
    system_storage_gb: 40,
    data_storage_gb: 100,
    billing_period: 'hourly',
  } as const
  await client.instances.create({
    ...shape,
    name: 'train-llama',
    gpu_type: 'A40',
    region: 'US-East',
    template_id: builtInTemplates[0]!.id,
  })
  await client.instances.create({
    ...shape,
    name: 'serve-vllm',
    gpu_type: 'H100',
    region: 'Middle-East',
    template_id: builtInTemplates[5]!.id,
  })
  await client.instances.create({
    ...shape,
    name: 'notebook',
    gpu_type: 'T4',
    region: 'EU-West',
    template_id: builtInTemplates[6]!.id,
    start: false,
  })
}
console.log(`Demo account: ${account.email}, password ${account.password}`)
