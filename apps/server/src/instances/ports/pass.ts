/**
 * The cookie of a port's origin: which instance and port it is good for, on whose word (a session, an API key or a link),
 * and until when, under a seal. It opens nothing by itself: whether that session, key or link stands is asked at each
 * use (`access.ts`). One that somebody plants in another's browser is good for nothing but the port it was made for.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Vault } from '../../vault.ts'

export interface Holder {
  readonly kind: 'session' | 'key' | 'share'
  readonly id: string
}

export interface Pass extends Holder {
  readonly instanceId: string
  readonly port: number
}

const passMs = 12 * 3_600_000
/** A page beside can plant cookies for a common parent: ours is looked for among so many of its name. */
const mostOfAName = 8
const mostSound = 10_000
const form = /^(session|key|share)\.([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d{1,5})\.(\d{1,15})\.([\w-]{43})$/

export interface Passes {
  /** What `Set-Cookie` says. `until`: it ends then at the latest. */
  cookie(pass: Pass, until: Date | null): string
  /** Those in a `Cookie` header that are good for this port, and the header without any of ours. */
  read(header: string | undefined, port: number): { readonly passes: readonly Pass[]; readonly rest: string }
  /** Whether a `Set-Cookie` would set ours. */
  isOurs(setCookie: string): boolean
}

export function createPasses(
  vault: Pick<Vault, 'derive'>,
  { isSecure }: { readonly isSecure: boolean },
): Passes {
  const key = vault.derive('port pass')
  // The prefix makes browsers refuse it with a domain; they know it with `Secure` alone.
  const name = isSecure ? '__Host-ingot-port' : 'ingot-port'
  const seal = (text: string) => createHmac('sha256', key).update(text).digest()

  /** A browser shows the same one with each request. */
  const sound = new Set<string>()

  function open(value: string, port: number): Pass | null {
    const [, kind, instanceId, id, givenPort, until, mac] = form.exec(value) ?? []
    if (!mac || Number(givenPort) !== port || Number(until) < Date.now()) return null
    if (!sound.has(value)) {
      const given = Buffer.from(mac, 'base64url')
      const right = seal(value.slice(0, value.lastIndexOf('.')))
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null
      if (sound.size >= mostSound) sound.clear()
      sound.add(value)
    }
    return { kind: kind as Holder['kind'], instanceId: instanceId!, id: id!, port }
  }

  return {
    cookie({ kind, instanceId, id, port }, until) {
      const end = Math.min(Date.now() + passMs, until?.getTime() ?? Infinity)
      const text = `${kind}.${instanceId}.${id}.${port}.${end}`
      const value = `${text}.${seal(text).toString('base64url')}`
      return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
    },
    read(header, port) {
      if (!header) return { passes: [], rest: '' }
      const ours: string[] = []
      const rest: string[] = []
      for (const part of header.split(';')) {
        const pair = part.trim()
        if (pair.startsWith(`${name}=`)) ours.push(pair.slice(name.length + 1))
        else if (pair) rest.push(pair)
      }
      const passes = ours.slice(0, mostOfAName).map(value => open(value, port))
      return { passes: passes.filter(pass => pass !== null), rest: rest.join('; ') }
    },
    isOurs: setCookie => setCookie.trimStart().startsWith(`${name}=`),
  }
}
