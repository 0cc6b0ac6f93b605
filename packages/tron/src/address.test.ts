import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import * as fc from 'fast-check'
import { TronWeb } from 'tronweb'
import { describe, expect, it } from 'vitest'
import { checkXpub, depositAddress, isAddress, parseAddress, toBase58, toHex41 } from './address.ts'
import { developmentKey, developmentMnemonic, developmentXpub } from './devnet/accounts.ts'

const base58check = createBase58check(sha256)
const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const usdt20 = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c'
const account = developmentKey("m/44'/195'/0'")

describe('address forms', () => {
  it('reads the main chain’s token in every form to the same 20 bytes', () => {
    for (const form of [usdt, `41${usdt20}`, `0x41${usdt20}`, usdt20, `0x${usdt20}`, usdt20.toUpperCase()])
      expect(parseAddress(form)).toBe(usdt20)
    expect(toBase58(usdt20)).toBe(usdt)
    expect(toHex41(usdt20)).toBe(`41${usdt20}`)
  })

  it('round-trips any 20 bytes', () => {
    const bytes = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map(each => Buffer.from(each).toString('hex'))
    expect(() => fc.assert(fc.property(bytes, hex => parseAddress(toBase58(hex)) === hex))).not.toThrow()
  })

  it('refuses any single wrong character, and the right ones in the wrong case', () => {
    const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
    for (let at = 0; at < usdt.length; at++) {
      const wrong = alphabet[(alphabet.indexOf(usdt[at]!) + 1) % alphabet.length]
      expect(isAddress(usdt.slice(0, at) + wrong + usdt.slice(at + 1))).toBe(false)
    }
    expect(isAddress(usdt.toLowerCase())).toBe(false)
    expect(isAddress(usdt.toUpperCase())).toBe(false)
  })

  it('refuses addresses of other chains, other lengths and nothing', () => {
    const others = ['', 'T', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', `42${usdt20}`, usdt20.slice(2), `${usdt} `]
    for (const other of others) expect(() => parseAddress(other)).toThrow(RangeError)
  })
})

describe('deposit addresses', () => {
  it('equal tronweb’s own for 60 indexes', () => {
    for (let index = 0; index < 60; index++) {
      const theirs = TronWeb.fromMnemonic(developmentMnemonic, `m/44'/195'/0'/0/${index}`)
      const ours = depositAddress(developmentXpub, index)
      expect(ours.base58).toBe(theirs.address)
      expect(toHex41(ours.address20)).toBe(TronWeb.address.toHex(theirs.address as string).toLowerCase())
    }
  })

  it('exist up to the last index and not beyond', () => {
    expect(depositAddress(developmentXpub, 2 ** 31 - 1).base58).toMatch(/^T/)
    for (const index of [-1, 2 ** 31, 0.5, Number.NaN])
      expect(() => depositAddress(developmentXpub, index)).toThrow(RangeError)
  })

  it('the development xpub is the one of the printed phrase', () => {
    expect(account.publicExtendedKey).toBe(developmentXpub)
  })
})

describe('what is taken for an xpub', () => {
  const xprv = account.privateExtendedKey

  it('a private key is refused, and never repeated in the message', () => {
    for (const secret of [xprv, ` ${xprv}`, `${xprv.slice(0, -1)}x`]) {
      const refused = thrownBy(() => checkXpub(secret))
      expect(refused).toBeInstanceOf(RangeError)
      expect(refused.message).toContain('private key')
      expect(refused.message).not.toContain(xprv.slice(4, 12))
    }
  })

  it('a private key of another chain’s spelling is refused as one', () => {
    const payload = base58check.decode(xprv)
    payload.set([0x01, 0x9d, 0x9c, 0xfe])
    expect(() => checkXpub(base58check.encode(payload))).toThrow(/private key/)
  })

  it('a seed phrase or a raw key is refused, and never repeated', () => {
    for (const secret of [developmentMnemonic, '1'.repeat(64)]) {
      const refused = thrownBy(() => checkXpub(secret))
      expect(refused.message).toContain('not an extended public key')
      expect(refused.message).not.toContain(secret.slice(0, 8))
    }
  })

  it('a bad checksum is refused', () => {
    const broken = developmentXpub.replace(/.$/, last => (last === 'a' ? 'b' : 'a'))
    expect(() => checkXpub(broken)).toThrow(/checksum/)
  })

  it('a key of another depth is refused: its addresses would be other ones', () => {
    const others = ["m/44'/195'", "m/44'/195'/0'/0", "m/44'/195'/0"]
    for (const path of others)
      expect(() => checkXpub(developmentKey(path).publicExtendedKey)).toThrow(/must be an account’s/)
  })

  it('the account’s own passes', () => {
    expect(() => checkXpub(developmentXpub)).not.toThrow()
  })
})

function thrownBy(run: () => void): Error {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
