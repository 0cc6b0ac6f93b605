/** A request is paid by the transfer that the scanner sees, from a deposit address or one that the operator pays from. */
import { randomBytes } from 'node:crypto'
import { parseUsd } from '@ingot/contracts/money'
import { type Address20, parseAddress, toBase58 } from '@ingot/tron/address'
import { developmentAccount, faucetAccount } from '@ingot/tron/devnet/accounts'
import { usdt20 } from '@ingot/tron/devnet/contracts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../auth/passwords/passwords.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { startTestChain } from '../wallet/test-chain.ts'
import { listMail } from '../worker/mail.ts'

const { devnet, env } = await startTestChain(1)
const till = developmentAccount("m/44'/195'/2'/0/9")
const server = useTestServer({
  env: { ...env, INGOT_WITHDRAWALS: 'on', INGOT_TRON_PAYOUT_ADDRESSES: toBase58(till.address20) },
})
beforeAll(async () => {
  Object.assign(server.services.chain, { scanEveryMs: { watched: 50, idle: 50 } })
  const opened = () => db().selectFrom('chain_cursor').select('chain').executeTakeFirst()
  await until(opened, row => row !== undefined)
})
afterAll(() => devnet.close())

const db = () => server.services.database.kysely
const password = 'correct horse'
const hash = hashPassword(password)
const day = 86_400_000
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd

/** Somebody whose address received so much for good. */
async function depositor(usdt: string) {
  const user = await server.user()
  await sql`update auth_user set password_hash = ${await hash} where id = ${user.id}`.execute(db())
  const own = parseAddress((await user.client.wallet.usdtConfig()).walletAddress)
  devnet.faucet(own, parseUsd(usdt))
  devnet.mine(19)
  await until(
    () => balance(user),
    each => parseUsd(each) === parseUsd(usdt),
  )
  return { user, own }
}
async function administrator() {
  const { id, client } = await server.user()
  await sql`insert into user_roles (user_id, role) values (${id}, 'admin')`.execute(db())
  return client.withdrawals
}
type Account = ReturnType<typeof developmentAccount>
async function accountOf(address: Address20): Promise<Account> {
  const { rows } = await sql<{ idx: bigint }>`
    select idx from deposit_address where address20 = ${Buffer.from(address, 'hex')}`.execute(db())
  return developmentAccount(`m/44'/195'/7'/0/${rows[0]!.idx}`)
}
/** Signed with keys that the server does not have; final when it returns. */
async function send(from: Account, to: string, usdt: string): Promise<string> {
  devnet.send(faucetAccount(), 'TransferContract', { to_address: from.address20, amount: 10n ** 9n })
  devnet.mine(1)
  const txid = devnet.trigger(from, usdt20, 'transfer(address,uint256)', [parseAddress(to), parseUsd(usdt)])
  devnet.mine(19)
  const seen = () =>
    db()
      .selectFrom('chain_sweep')
      .select('txid')
      .where('txid', '=', Buffer.from(txid, 'hex'))
      .executeTakeFirst()
  await until(seen, row => row !== undefined)
  return txid
}
const mailTo = async (address: string) =>
  (await listMail(db(), server.services.vault))
    .filter(mail => mail.to === address)
    .map(({ subject, text }) => `${subject}\n${text}`)

test('a transfer of exactly its amount from a deposit address pays it, and its owner is told', async () => {
  const admin = await administrator()
  const { user, own } = await depositor('50')
  const address = toBase58(randomBytes(20).toString('hex'))
  const { id } = await user.client.withdrawals.request({ amount: '20.5', address, password })
  await server.advance(day)
  await admin.take({ id })
  const from = await accountOf(own)
  await send(from, address, '20.4')
  await send(from, toBase58(till.address20), '5')
  expect((await user.client.withdrawals.list()).items).toMatchObject([{ status: 'sending' }])
  const txid = await send(from, address, '20.5')
  expect((await user.client.withdrawals.list()).items).toMatchObject([{ status: 'paid', tx_hash: txid }])
  expect(await balance(user)).toBe('29.500000')
  const [letter] = await mailTo(`${user.id}@example.com`)
  expect(letter).toMatch(/^\$20\.50 was sent to you from Ingot\n/)
  expect(letter).toContain(address)
  expect(letter).toContain(txid)
})

test('so does one from an address that the operator pays from, whatever comes to that address is nobody’s deposit', async () => {
  const { user } = await depositor('30')
  devnet.faucet(till.address20, parseUsd('500'))
  devnet.mine(19)
  const address = toBase58(randomBytes(20).toString('hex'))
  const { id } = await user.client.withdrawals.request({ amount: '30', address, password })
  await send(till, address, '30')
  expect((await user.client.withdrawals.list()).items).toMatchObject([{ id, status: 'paid' }])
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from chain_deposit where to20 = ${Buffer.from(till.address20, 'hex')}`.execute(
    db(),
  )
  expect(rows).toEqual([{ n: 0 }])
})

test('a refund is paid the same way; then nothing says any more whom to write to', async () => {
  const admin = await administrator()
  const { user } = await depositor('40')
  await user.client.accounts.deleteAccount({ confirmation: 'DELETE', password, balance: 'refund' })
  const mine = async () =>
    (await admin.queue({ limit: 100 })).items.find(({ user_id }) => user_id === user.id)
  const { id } = (await mine())!
  const address = toBase58(randomBytes(20).toString('hex'))
  await admin.setRefundAddress({ id, address })
  await admin.take({ id })
  await send(till, address, '40')
  expect(await mine()).toBeUndefined()
  expect((await mailTo(`${user.id}@example.com`))[0]).toContain('$40.00 was sent to you')
  const row = await db()
    .selectFrom('refund_request')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ status: 'paid', contact_sealed: null })
})

test('a transfer that is seen again pays nothing more', async () => {
  const { user } = await depositor('60')
  const address = toBase58(randomBytes(20).toString('hex'))
  const ask = () => user.client.withdrawals.request({ amount: '20', address, password })
  await ask()
  await send(till, address, '20')
  await ask()
  // The pass is repeated from before it.
  await sql`update chain_cursor set height = height - 19, block_id = ${await blockBefore(19)}`.execute(db())
  devnet.mine(1)
  const { rows } = await sql<{ height: bigint }>`select height from chain_cursor`.execute(db())
  await until(
    () => db().selectFrom('chain_cursor').select('height').executeTakeFirstOrThrow(),
    ({ height }) => height > rows[0]!.height,
  )
  expect((await user.client.withdrawals.list()).items.map(({ status }) => status)).toEqual([
    'waiting',
    'paid',
  ])
})

async function blockBefore(blocks: number): Promise<string> {
  const { height } = await db().selectFrom('chain_cursor').select('height').executeTakeFirstOrThrow()
  const block = await server.services.chain.endpoints.ask(reader =>
    reader.block(Number(height) - blocks, 'solid'),
  )
  return block!.blockId
}
