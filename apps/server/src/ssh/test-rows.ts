import ssh2 from 'ssh2'
import type { RowMakers } from '../http/test-owner.ts'

/** A new key pair, each half as OpenSSH writes it. */
export const keyPair = () => ssh2.utils.generateKeyPairSync('ed25519')

export const rows: RowMakers = {
  'ssh-keys': async ({ client }) =>
    (await client.ssh.addKey({ name: 'laptop', public_key: keyPair().public })).id,
}
