/** HTTP ports of one instance, each reached at an origin of its own. */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from '../operation.ts'

/** Of one instance. */
export const maxPorts = 20
export const maxPortName = 40
export const maxPortPath = 500
/** Links to one port that have not ended. */
export const maxPortShares = 20
/** How long a link may last: 30 days. */
export const maxShareHours = 720

export const portNumber = z.int().check(z.minimum(1), z.maximum(65_535))
const portName = z.string().check(z.maxLength(maxPortName), z.regex(/\S/))
/** Of the port's own origin, never of another. */
const portPath = z.string().check(z.maxLength(maxPortPath), z.regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/))
export const portVisibilities = ['private', 'public'] as const
const visibility = z.enum(portVisibilities)

export const portShare = z.object({ id, created_at: timestamp, expires_at: timestamp })
export type PortShare = z.infer<typeof portShare>

export const instancePort = z.object({
  port: z.int(),
  name: z.string(),
  /** Where 'Open' leads. */
  path: z.string(),
  /** `private`: whoever is signed in as you, or has a link that you made. `public`: whoever knows the address. */
  visibility,
  /** Its origin, with a slash at the end. */
  url: z.string(),
  /** Links to it that have not ended, newest first. */
  shares: z.array(portShare),
  created_at: timestamp,
})
export type InstancePort = z.infer<typeof instancePort>

const place = { id, port: portNumber }
const settings = {
  name: z.optional(portName),
  path: z.optional(portPath),
  visibility: z.optional(visibility),
}

export const instancePorts = {
  ports: operation({
    id: 'listInstancePorts',
    method: 'GET',
    path: '/v1/instances/{id}/ports',
    who: 'user',
    summary: 'Its HTTP ports by number, with the links to them: all of them, there are never more than 20',
    input: z.object({ id }),
    output: z.object({ items: z.array(instancePort), next_cursor: z.null() }),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  addPort: operation({
    id: 'addInstancePort',
    method: 'POST',
    path: '/v1/instances/{id}/ports',
    who: 'user',
    summary: 'Let an HTTP port of an instance be reached; privately, unless the call says otherwise',
    input: z.object({ ...place, ...settings }),
    output: instancePort,
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
  updatePort: operation({
    id: 'updateInstancePort',
    method: 'PATCH',
    path: '/v1/instances/{id}/ports/{port}',
    who: 'user',
    summary: 'Rename a port, change where it opens, or make it public or private',
    input: z.object({ ...place, ...settings }),
    output: instancePort,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  deletePort: operation({
    id: 'deleteInstancePort',
    method: 'DELETE',
    path: '/v1/instances/{id}/ports/{port}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Let a port be reached no more: its links and what is connected to it end',
    input: z.object(place),
    output: nothing,
    status: 200,
    errors: ['not_found'],
  }),
  openPort: operation({
    id: 'openInstancePort',
    method: 'POST',
    path: '/v1/instances/{id}/ports/{port}/open',
    who: 'user',
    duringMaintenance: true,
    summary: 'An address that opens a port of a running instance in a browser: good once, for 30 seconds',
    transaction: false,
    input: z.object(place),
    output: z.object({ url: z.string(), expires_at: timestamp }),
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
  sharePort: operation({
    id: 'shareInstancePort',
    method: 'POST',
    path: '/v1/instances/{id}/ports/{port}/shares',
    who: 'user',
    summary: 'A link that opens a port for whoever has it, until it ends; it is shown once',
    transaction: false,
    input: z.object({
      ...place,
      hours: z._default(z.int().check(z.minimum(1), z.maximum(maxShareHours)), 24),
    }),
    output: z.object({ ...portShare.shape, url: z.string() }),
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
  deletePortShare: operation({
    id: 'deletePortShare',
    method: 'DELETE',
    path: '/v1/port-shares/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'End a link to a port: what it opened closes',
    input: z.object({ id }),
    output: nothing,
    status: 200,
    errors: ['not_found'],
  }),
}
