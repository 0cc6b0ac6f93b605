/** How one instance is reached by SSH. Keys belong to the account: see `ssh`. */
import * as z from 'zod/mini'
import { id, operation } from './operation.ts'

const byId = z.object({ id })
const password = z.object({ password: z.string() })

export const sshAccess = z.object({
  host: z.string(),
  port: z.int(),
  /** Its own for life, whatever it is called. */
  user: z.string(),
  /** The service's, as it stands in a `known_hosts` file: type and key. The same for every instance. */
  host_key: z.string(),
  host_key_fingerprint: z.string(),
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
  sshPassword: operation({
    id: 'showSshPassword',
    method: 'POST',
    path: '/v1/instances/{id}/ssh/password',
    who: 'session',
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
