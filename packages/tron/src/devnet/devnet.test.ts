import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { depositAddress } from '../address.ts'
import { createReader } from '../reader.ts'
import { createTeller } from '../teller.ts'
import { developmentXpub, faucetAccount } from './accounts.ts'
import { usdt20 } from './contracts.ts'
import { type Devnet, createDevnet } from './devnet.ts'
import { decodeMessage, encodeMessage } from './protobuf.ts'
import { decodeSigned, encodeSigned, sign, signerOf } from './transaction.ts'

const folder = mkdtempSync(join(tmpdir(), 'devnet-'))
afterAll(() => rmSync(folder, { recursive: true }))

const [alice, bob] = [0, 1].map(index => depositAddress(developmentXpub, index)) as [Deposit, Deposit]
type Deposit = ReturnType<typeof depositAddress>
let files = 0
const newFile = () => join(folder, `${files++}.jsonl`)

/** Everything that must be the same after a restart. */
function facts(devnet: Devnet) {
  const views = ['solid', 'latest'] as const
  return views.map(view => ({
    head: devnet.head(view),
    alice: devnet.balance(alice.base58, view),
    bob: devnet.balance(bob.base58, view),
    faucet: devnet.balance(devnet.faucetAddress, view),
  }))
}

function buildHistory(stateFile: string): Devnet {
  const devnet = createDevnet({ stateFile, blockMs: 0 })
  devnet.faucet(alice.base58, 5n)
  devnet.mine(25)
  devnet.faucet(bob.base58, 7n)
  devnet.mine(3)
  devnet.trigger(faucetAccount(), usdt20, 'pause()', [])
  devnet.faucet(bob.base58, 100n)
  devnet.mine(2)
  devnet.reorg(4, { keepTransactions: true })
  devnet.freezeSolid(true)
  devnet.mine(30)
  return devnet
}

describe('the record on disk', () => {
  it('gives the same ids, blocks and balances after a restart, frozen head included', async () => {
    const stateFile = newFile()
    const before = buildHistory(stateFile)
    const expected = facts(before)
    await before.close()
    const after = createDevnet({ stateFile, blockMs: 0 })
    expect(facts(after)).toEqual(expected)
    after.freezeSolid(false)
    expect(after.head('solid').height).toBe(after.head('latest').height - 18)
    await after.close()
  })

  it('loses nothing but the unfinished line, wherever a kill cuts it', async () => {
    const stateFile = newFile()
    const devnet = buildHistory(stateFile)
    const expected = facts(devnet)
    const whole = readFileSync(stateFile)
    devnet.faucet(alice.base58, 11n)
    devnet.mine()
    await devnet.close()
    const longer = readFileSync(stateFile)
    for (let cut = whole.length + 1; cut < longer.indexOf('\n', whole.length); cut += 13) {
      writeFileSync(stateFile, longer.subarray(0, cut))
      const again = createDevnet({ stateFile, blockMs: 0 })
      expect(facts(again)).toEqual(expected)
      await again.close()
      expect(readFileSync(stateFile)).toEqual(whole)
    }
  })

  it('a payment that was answered is mined after a kill', async () => {
    const stateFile = newFile()
    const devnet = createDevnet({ stateFile, blockMs: 0 })
    devnet.faucet(alice.base58, 5n)
    // No close: as a kill leaves it.
    const again = createDevnet({ stateFile, blockMs: 0 })
    again.mine()
    expect(again.balance(alice.base58, 'latest')).toBe(5n)
    await Promise.all([devnet.close(), again.close()])
  })

  it('every payment announced by a process that was killed is still there', async () => {
    const stateFile = newFile()
    const script = `
      import { createDevnet } from ${JSON.stringify(join(import.meta.dirname, 'devnet.ts'))}
      const devnet = createDevnet({ stateFile: ${JSON.stringify(stateFile)}, blockMs: 0 })
      for (;;) {
        process.stdout.write(devnet.faucet(${JSON.stringify(alice.base58)}, 1n) + '\\n')
        devnet.mine()
        await new Promise(setImmediate)
      }`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script])
    let said = ''
    child.stdout.on('data', (part: Buffer) => {
      said += part.toString()
      if (said.length > 65 * 20) child.kill('SIGKILL')
    })
    await once(child, 'close')
    const announced = said.split('\n').slice(0, -1)
    expect(announced.length).toBeGreaterThanOrEqual(20)
    const devnet = createDevnet({ stateFile, blockMs: 0 })
    devnet.mine()
    const { url } = await devnet.start()
    const reader = createReader({ url })
    for (const txid of announced) expect(await reader.facts(txid, 'latest')).not.toBeNull()
    expect(devnet.balance(alice.base58, 'latest')).toBeGreaterThanOrEqual(BigInt(announced.length))
    await devnet.close()
  })

  it('a line changed by hand is refused, and says which', async () => {
    const stateFile = newFile()
    await buildHistory(stateFile).close()
    const lines = readFileSync(stateFile, 'utf8').split('\n')
    const broken = [...lines]
    broken[3] = broken[3]!.slice(0, 10)
    writeFileSync(stateFile, broken.join('\n'))
    expect(() => createDevnet({ stateFile })).toThrow(/line 4 is damaged/)
    writeFileSync(stateFile, lines.map(line => line.replace(/"timeMs":(\d+)\d/, '"timeMs":$10')).join('\n'))
    expect(() => createDevnet({ stateFile })).toThrow(/is not the one recorded/)
  })

  it('a scanner goes on after the restart of the chain under it', async () => {
    const stateFile = newFile()
    const first = createDevnet({ stateFile, blockMs: 0 })
    const { url } = await first.start()
    const desk = createTeller(createReader({ url }), usdt20, [alice.address20])
    first.mine(20)
    await desk.catchUp()
    const cursor = desk.cursor()!
    first.faucet(alice.base58, 5n)
    await first.close()
    const second = createDevnet({ stateFile, blockMs: 0 })
    const reader = createReader({ url: (await second.start()).url })
    second.mine(19)
    const later = createTeller(reader, usdt20, [alice.address20], { cursor })
    await later.catchUp()
    expect(later.total()).toBe(5n)
    await second.close()
  })
})

describe('a reorganisation', () => {
  it('takes back all that its blocks did, and nothing else', async () => {
    const devnet = createDevnet({ blockMs: 0 })
    devnet.mine(20)
    devnet.faucet(alice.base58, 5n)
    devnet.mine()
    for (const amount of [1n, 2n, 4n]) devnet.faucet(alice.base58, amount)
    devnet.mine()
    expect(devnet.balance(alice.base58, 'latest')).toBe(12n)
    devnet.reorg(1, { keepTransactions: false })
    expect(devnet.balance(alice.base58, 'latest')).toBe(5n)
    devnet.reorg(2, { keepTransactions: false })
    expect(devnet.balance(alice.base58, 'latest')).toBe(0n)
    expect(devnet.balance(devnet.faucetAddress, 'latest')).toBe(10n ** 15n)
    await devnet.close()
  })

  it('gives every block above the fork another id, and leaves those below', async () => {
    const devnet = createDevnet({ blockMs: 0, now: () => 1_700_000_000_000 })
    devnet.mine(30)
    const [solid, latest] = [devnet.head('solid'), devnet.head('latest')]
    devnet.reorg(18, { keepTransactions: true })
    expect(devnet.head('latest').height).toBe(latest.height)
    expect(devnet.head('latest').blockId).not.toBe(latest.blockId)
    expect(devnet.head('solid')).toEqual(solid)
    expect(() => devnet.reorg(19, { keepTransactions: true })).toThrow(RangeError)
    await devnet.close()
  })

  it('keeps a payment even when the blocks before it are lost too', async () => {
    const devnet = createDevnet({ blockMs: 0 })
    devnet.mine(30)
    devnet.faucet(alice.base58, 5n)
    devnet.mine()
    devnet.reorg(10, { keepTransactions: true })
    expect(devnet.balance(alice.base58, 'latest')).toBe(5n)
    await devnet.close()
  })
})

/** Resolves when the solid head has got there. */
const solid = (devnet: Devnet, height: number) =>
  new Promise<void>(resolve => {
    const end = devnet.onChange(() => {
      if (devnet.head('solid').height < height) return
      end()
      resolve()
    })
  })

describe('mining by itself', () => {
  it('buries a payment and then stands still', async () => {
    const devnet = createDevnet({ blockMs: 1 })
    await devnet.start()
    expect(devnet.head('latest').height).toBe(0)
    devnet.faucet(alice.base58, 5n)
    await solid(devnet, 1)
    expect(devnet.balance(alice.base58, 'solid')).toBe(5n)
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(devnet.head('latest').height).toBe(19)
    await devnet.close()
  })

  it('goes on burying after a restart', async () => {
    const stateFile = newFile()
    const first = createDevnet({ stateFile, blockMs: 0 })
    first.faucet(alice.base58, 5n)
    first.mine(3)
    await first.close()
    const second = createDevnet({ stateFile, blockMs: 1 })
    const buried = solid(second, 1)
    await second.start()
    await buried
    expect(second.balance(alice.base58, 'solid')).toBe(5n)
    await second.close()
  })

  it('equal payments in one millisecond are two payments', async () => {
    const devnet = createDevnet({ blockMs: 0, now: () => 1_700_000_000_000 })
    const txids = [1, 2, 3].map(() => devnet.faucet(alice.base58, 5n))
    devnet.mine()
    expect(new Set(txids).size).toBe(3)
    expect(devnet.balance(alice.base58, 'latest')).toBe(15n)
    await devnet.close()
  })

  it('the faucet refuses nonsense', async () => {
    const devnet = createDevnet({ blockMs: 0 })
    expect(() => devnet.faucet('nonsense', 5n)).toThrow(RangeError)
    expect(() => devnet.faucet(alice.base58, 0n)).toThrow(RangeError)
    expect(() => devnet.reorg(1, { keepTransactions: true })).toThrow(RangeError)
    await devnet.close()
  })

  it('a port that is taken is an error, not silence', async () => {
    const [first, second] = [createDevnet({ blockMs: 0 }), createDevnet({ blockMs: 0 })]
    const { url } = await first.start()
    await expect(second.start({ port: Number(new URL(url).port) })).rejects.toThrow(/EADDRINUSE/)
    await first.close()
  })
})

describe('bytes', () => {
  it('a transaction survives its encoding, signature included', () => {
    const value = { to_address: alice.address20, owner_address: faucetAccount().address20, amount: 2n ** 62n }
    const raw = {
      type: 'TransferContract' as const,
      value,
      permissionId: 2n,
      refBlockBytes: '00ff',
      refBlockHash: 'ab'.repeat(8),
      expiration: 1_700_000_060_000n,
      timestamp: 1_700_000_000_000n,
      feeLimit: 0n,
      memo: 'cafe',
    }
    const signed = sign(raw, faucetAccount().privateKey)
    expect(decodeSigned(encodeSigned(signed))).toEqual(signed)
    expect(signerOf(signed)).toBe(faucetAccount().address20)
    expect(signerOf({ ...signed, txid: 'ab'.repeat(32) })).not.toBe(faucetAccount().address20)
    expect(signerOf({ ...signed, signatures: [] })).toBeNull()
  })

  it('a message cut short is refused, never read as another', () => {
    const bytes = encodeMessage([
      [1, 300n],
      [2, Uint8Array.of(1, 2, 3)],
    ])
    expect(decodeMessage(bytes).get(1)).toEqual([300n])
    for (const end of [1, 2, 4, bytes.length - 1])
      expect(() => decodeMessage(bytes.subarray(0, end))).toThrow(RangeError)
  })
})
