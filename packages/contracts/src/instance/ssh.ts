/** How one instance is reached by SSH. Keys belong to the account: see `ssh`. */
import * as z from 'zod/mini'
import { id, operation } from '../operation.ts'
import { maxSshKeys } from '../ssh.ts'

const byId = z.object({ id })
/** Absent in a deploy, null in a change: every key of the account, those that are added later too. */
export const sshKeyIds = z.array(id).check(z.minLength(1), z.maxLength(maxSshKeys))
const password = z.object({ password: z.string() })

export const sshAccess = z.object({
  host: z.string(),
  port: z.int(),
  /** Its own for life, whatever it is called. */
  user: z.string(),
  /** The service's, as it stands in a `known_hosts` file: type and key. The same for every instance. */
  host_key: z.string(),
  host_key_fingerprint: z.string(),
  /** Those of your keys that open it; null: every one that you have. */
  key_ids: z.nullable(z.array(id)),
  /** While it is stopped, whoever connects at a terminal is asked whether to start it, and told what that costs. */
  offers_start: z.boolean(),
})
export type SshAccess = z.infer<typeof sshAccess>

export const instanceSsh = {
  ssh: operation({
    id: 'getInstanceSsh',
    method: 'GET',
    path: '/v1/instances/{id}/ssh',
    who: 'user',
    summary: 'Where an instance is reached by SSH, and as which user',
    input: byId,
    output: sshAccess,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  changeSsh: operation({
    id: 'changeInstanceSsh',
    method: 'PATCH',
    path: '/v1/instances/{id}/ssh',
    who: 'user',
    summary: 'Which of your keys open it, and whether it offers to start; what a key had opened ends with it',
    input: z.object({
      id,
      key_ids: z.optional(z.nullable(sshKeyIds)),
      offers_start: z.optional(z.boolean()),
    }),
    output: sshAccess,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  sshPassword: operation({
    id: 'showSshPassword',
    method: 'POST',
    path: '/v1/instances/{id}/ssh/password',
    who: 'session',
    duringMaintenance: true,
    summary: 'Its SSH password, made when it is first asked for; that you looked is recorded',
    transaction: false,
    input: byId,
    output: password,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  renewSshPassword: operation({
    id: 'renewSshPassword',
    method: 'POST',
    path: '/v1/instances/{id}/ssh/password/renew',
    who: 'session',
    summary: 'Another SSH password; the one before stops working, and what is connected with it ends',
    transaction: false,
    input: byId,
    output: password,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
}
