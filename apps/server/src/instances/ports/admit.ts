/** Whether a request may pass, and as what: the same for a request and for a WebSocket. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'
import type { Region } from '../../catalog/regions.ts'
import type { Config } from '../../config.ts'
import { trustOf } from '../../http/caller-address.ts'
import type { Access, Standing, Visit } from './access.ts'
import { createCookieMarks, type ProgramCookies, untouched } from './cookies.ts'
import { isPublicSuffix } from '../../config/apps-variables.ts'
import type { Vault } from '../../vault.ts'
import type { PortName } from './address.ts'
import { isFromHere, type Visitor } from './headers.ts'
import { type Notice, notices } from './notices.ts'
import type { Passes } from './pass.ts'
import type { Upstream } from './upstream.ts'

export interface Admitted {
  readonly standing: Standing
  readonly visit: Visit
  readonly visitor: Visitor
  readonly to: Upstream
  readonly cookies: ProgramCookies
}

interface AdmitNeeds {
  readonly config: Pick<Config, 'publicUrl' | 'trustProxy' | 'appsHost'>
  readonly regions: readonly Region[]
  readonly access: Access
  readonly passes: Passes
  readonly vault: Vault
}

export type Admit = (request: IncomingMessage, name: PortName) => Promise<Admitted | Notice>

export const isNotice = (answer: Admitted | Notice): answer is Notice => 'title' in answer

export function createAdmit({ config, regions, access, passes, vault }: AdmitNeeds): Admit {
  const marks = createCookieMarks(vault)
  // Browsers let no page plant anything for a host that they know as a suffix.
  const isApart = config.appsHost !== null && isPublicSuffix(config.appsHost)
  const { protocol } = new URL(config.publicUrl)
  const addressOf = createAddressOf(config.trustProxy)

  async function enter(name: PortName, cookie: string | undefined) {
    const read = passes.read(cookie, name.port)
    let visit: Visit = { ...name, pass: read.passes[0] ?? null }
    let standing = await access.of(visit)
    for (const pass of read.passes.slice(1)) {
      if (!standing || standing.mayEnter) break
      visit = { ...name, pass }
      standing = await access.of(visit)
    }
    return { visit, standing, cookie: read.rest }
  }

  return async (request, name) => {
    const origin = `${protocol}//${request.headers.host!.toLowerCase()}`
    const { visit, standing, cookie } = await enter(name, request.headers.cookie)
    if (!standing) return notices.misdirected
    if (!standing.mayEnter) return notices.private
    const isOwn = isFromHere(request, origin)
    const isSocket = request.headers.upgrade !== undefined
    if (!isOwn && (isSocket || !standing.isPublic)) return notices.elsewhere
    if (standing.status !== 'running') return notices.stopped(standing.name, standing.status)
    const driver = regions.find(region => region.compute.name === standing.driver)?.compute
    if (!driver || standing.driverRef === null) return notices.stopped(standing.name, 'not ready')
    const cookies = standing.isPublic || isApart || !visit.pass ? untouched : marks(visit.pass, name.port)
    // A page of another customer's is of the same site: what browsers keep back from others they send for it.
    const sent = isOwn || !isNeighbour(request, config) ? cookies.towardsMachine(cookie) : ''
    return {
      standing,
      visit,
      visitor: { origin, address: addressOf(request), cookie: sent },
      to: { driver, ref: standing.driverRef, port: name.port },
      cookies,
    }
  }
}

const isNeighbour = ({ headers }: IncomingMessage, { appsHost }: Pick<Config, 'appsHost'>): boolean =>
  headers['sec-fetch-site'] === 'same-site' ||
  (URL.canParse(headers.origin ?? '') && new URL(headers.origin!).hostname.endsWith(`.${appsHost}`))

function createAddressOf(trustProxy: Config['trustProxy']) {
  const trust = trustOf(trustProxy)
  const isTrusted =
    typeof trust === 'function' ? trust : trust === false ? () => false : proxyAddress.compile([...trust])
  return (request: IncomingMessage): string => {
    const { remoteAddress = '' } = request.socket
    if (request.headers['x-forwarded-for'] === undefined) return remoteAddress
    const address = proxyAddress(request, isTrusted) ?? ''
    return isIP(address) ? address : remoteAddress
  }
}
