/** SSH keys: named public keys of an account, with which each of its instances is reached. */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from './operation.ts'

export const maxSshKeys = 50
export const maxSshKeyName = 80
/** Letters of a public key with its comment; the longest RSA key that is taken needs a quarter of it. */
export const maxPublicKey = 8 * 1024
export const rsaBits = { min: 2048, max: 8192 } as const
export const sshKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
] as const

export const sshKey = z.object({
  id,
  name: z.string(),
  type: z.enum(sshKeyTypes),
  /** As `ssh-keygen -l` shows it: `SHA256:…`. */
  fingerprint: z.string(),
  /** Type and key in one line, without the comment that it came with. */
  public_key: z.string(),
  created_at: timestamp,
  /** To the minute. */
  last_used_at: z.nullable(timestamp),
})
export type SshKey = z.infer<typeof sshKey>

export const ssh = {
  keys: operation({
    id: 'listSshKeys',
    method: 'GET',
    path: '/v1/ssh-keys',
    who: 'user',
    summary: 'Your SSH keys, newest first: all of them, there are never more than 50',
    input: nothing,
    output: z.object({ items: z.array(sshKey), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  addKey: operation({
    id: 'addSshKey',
    method: 'POST',
    path: '/v1/ssh-keys',
    who: 'user',
    summary: 'Add a public key: from now on it opens each of your instances',
    input: z.object({
      name: z.string().check(z.maxLength(maxSshKeyName), z.regex(/\S/)),
      /** One line, such as `ssh-ed25519 AAAA… you@laptop`. */
      public_key: z.string().check(z.maxLength(maxPublicKey), z.regex(/\S/)),
    }),
    output: sshKey,
    status: 201,
    errors: [],
  }),
  deleteKey: operation({
    id: 'deleteSshKey',
    method: 'DELETE',
    path: '/v1/ssh-keys/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Remove one of your SSH keys: it opens nothing more',
    input: z.object({ id }),
    output: nothing,
    status: 200,
    errors: ['not_found'],
  }),
}
