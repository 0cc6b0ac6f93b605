/**
 * What senders do to deposit addresses, right and wrong, and a network to do it on. For tests.
 */
import { type Address20, depositAddress, toBase58 } from './address.ts'
import { type Account, developmentAccount, developmentXpub, faucetAccount } from './devnet/accounts.ts'
import { testAsset } from './devnet/chain.ts'
import { batchPayer20, fakeUsdt20, usdt20 } from './devnet/contracts.ts'
import { type Devnet, type DevnetOptions, createDevnet } from './devnet/devnet.ts'
import { createReader } from './reader.ts'
import { createTeller } from './teller.ts'

export const [alice, bob, carol] = [0, 1, 2].map(index => depositAddress(developmentXpub, index)) as [
  Deposit,
  Deposit,
  Deposit,
]
type Deposit = ReturnType<typeof depositAddress>
export const ours = [alice, bob, carol].map(each => each.address20)
export const stranger = depositAddress(developmentXpub, 1000)
/** Who holds the keys of our addresses: nobody but the operator, offline. */
export const keyOf = (index: number) => developmentAccount(`m/44'/195'/0'/0/${index}`)
export const payer = developmentAccount("m/44'/195'/2'/0/0")
export const spender = developmentAccount("m/44'/195'/2'/0/1")
export const faucet = faucetAccount()
export const solidDepth = 18

const open: Devnet[] = []

/** Closes what `setUp` opened; after each test. */
export async function closeAll(): Promise<void> {
  for (const devnet of open.splice(0)) await devnet.close()
}

/** A devnet that mines by hand, with two funded accounts. */
export async function setUp(options: DevnetOptions = {}, readerOptions: { timeoutMs?: number } = {}) {
  const devnet = createDevnet({ blockMs: 0, ...options })
  open.push(devnet)
  const { url } = await devnet.start()
  for (const account of [payer, spender]) {
    devnet.send(faucet, 'TransferContract', { to_address: account.address20, amount: 10n ** 12n })
    devnet.faucet(toBase58(account.address20), 10n ** 12n)
  }
  devnet.mine()
  const reader = createReader({ url, timeoutMs: readerOptions.timeoutMs ?? 5000 })
  const teller = (more: Parameters<typeof createTeller>[3] = {}) => createTeller(reader, usdt20, ours, more)
  return { devnet, url, reader, teller }
}

export const transfer = (devnet: Devnet, from: Account, to: Address20, amount: bigint, token = usdt20) =>
  devnet.trigger(from, token, 'transfer(address,uint256)', [to, amount])

function disperse(devnet: Devnet, payments: readonly (readonly [to: Address20, amount: bigint])[]): void {
  const count = BigInt(payments.length)
  devnet.trigger(payer, usdt20, 'approve(address,uint256)', [batchPayer20, 10n ** 12n])
  const [recipients, amounts] = [payments.map(each => each[0]), payments.map(each => each[1])]
  devnet.trigger(payer, batchPayer20, 'disperse(address,address[],uint256[])', [
    usdt20,
    96n,
    96n + 32n * (count + 1n),
    count,
    ...recipients,
    count,
    ...amounts,
  ])
}

/** Everything a sender may do, right or wrong, and what of it is money. */
export const scenarios: readonly [name: string, run: (devnet: Devnet) => void, credited: bigint][] = [
  ['a transfer', devnet => void transfer(devnet, payer, alice.address20, 25_500_000n), 25_500_000n],
  ['the smallest transfer', devnet => void transfer(devnet, payer, bob.address20, 1n), 1n],
  ['two equal transfers', devnet => [1, 2].forEach(() => transfer(devnet, payer, alice.address20, 7n)), 14n],
  [
    'a batch to several and to one twice',
    devnet =>
      disperse(devnet, [
        [alice.address20, 3n],
        [stranger.address20, 100n],
        [bob.address20, 4n],
        [alice.address20, 3n],
      ]),
    10n,
  ],
  [
    'a batch in which one payment fails',
    devnet =>
      disperse(devnet, [
        [alice.address20, 3n],
        [bob.address20, 10n ** 17n],
      ]),
    0n,
  ],
  [
    'transferFrom by another',
    devnet => {
      devnet.trigger(payer, usdt20, 'approve(address,uint256)', [spender.address20, 50n])
      devnet.trigger(spender, usdt20, 'transferFrom(address,address,uint256)', [
        payer.address20,
        carol.address20,
        50n,
      ])
    },
    50n,
  ],
  [
    'an approval',
    devnet => void devnet.trigger(payer, usdt20, 'approve(address,uint256)', [alice.address20, 10n ** 9n]),
    0n,
  ],
  [
    'nothing, moved from a stranger',
    devnet =>
      void devnet.trigger(spender, usdt20, 'transferFrom(address,address,uint256)', [
        faucet.address20,
        alice.address20,
        0n,
      ]),
    0n,
  ],
  ['more than the sender has', devnet => void transfer(devnet, payer, alice.address20, 10n ** 17n), 0n],
  [
    'too little energy',
    devnet => {
      const data = `a9059cbb${alice.address20.padStart(64, '0')}${'1'.padStart(64, '0')}`
      devnet.send(payer, 'TriggerSmartContract', { contract_address: usdt20, data }, 1_000_000n)
    },
    0n,
  ],
  ['another recipient', devnet => void transfer(devnet, payer, stranger.address20, 60n), 0n],
  [
    'a token of the same name',
    devnet => {
      devnet.trigger(payer, fakeUsdt20, 'mint(address,uint256)', [payer.address20, 10n ** 9n])
      transfer(devnet, payer, alice.address20, 10n ** 9n, fakeUsdt20)
    },
    0n,
  ],
  [
    'TRX',
    devnet => void devnet.send(payer, 'TransferContract', { to_address: alice.address20, amount: 5n }),
    0n,
  ],
  [
    'TRC10',
    devnet =>
      void devnet.send(faucet, 'TransferAssetContract', {
        asset_name: testAsset,
        to_address: alice.address20,
        amount: 5n,
      }),
    0n,
  ],
  [
    'a fee kept by the issuer',
    devnet => {
      devnet.trigger(faucet, usdt20, 'setParams(uint256,uint256)', [20n, 50n])
      transfer(devnet, payer, alice.address20, 1_000_000n)
      devnet.trigger(faucet, usdt20, 'setParams(uint256,uint256)', [0n, 0n])
    },
    998_000n,
  ],
  [
    'a paused token',
    devnet => {
      devnet.trigger(faucet, usdt20, 'pause()', [])
      transfer(devnet, payer, alice.address20, 11n)
      devnet.trigger(faucet, usdt20, 'unpause()', [])
    },
    0n,
  ],
  [
    'a black-listed sender',
    devnet => {
      devnet.trigger(faucet, usdt20, 'addBlackList(address)', [payer.address20])
      transfer(devnet, payer, alice.address20, 12n)
      devnet.trigger(faucet, usdt20, 'removeBlackList(address)', [payer.address20])
    },
    0n,
  ],
]
export const creditedByAll = scenarios.reduce((total, [, , credited]) => total + credited, 0n)

/** What our addresses hold for good. */
export const onChain = (devnet: Devnet) =>
  ours.reduce((total, address) => total + devnet.balance(address, 'solid'), 0n)
