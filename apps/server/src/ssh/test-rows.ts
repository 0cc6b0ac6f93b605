import type { RowMakers } from '../http/test-owner.ts'
import { makeKeyPair } from './public-key.ts'

/** A new key pair, each half as OpenSSH writes it. */
export const keyPair = makeKeyPair

export const rows: RowMakers = {
  'ssh-keys': async ({ client }) =>
    (await client.ssh.addKey({ name: 'laptop', public_key: keyPair().public })).id,
}
