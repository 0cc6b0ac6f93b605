/**
 * A program's own cookies. Pages below one host can plant cookies for all of it, and a request does not say which were
 * planted. So what a program sets is kept under a name that no other page can guess, and only that reaches it again. A
 * cookie that scripts may read stands beside under its own name too; one that a script sets stays in the browser.
 */
import { createHmac } from 'node:crypto'
import type { Vault } from '../../vault.ts'
import type { Holder } from './pass.ts'

export interface ProgramCookies {
  /** Of a `Cookie` header without ours: those that the program set for this visitor. */
  towardsMachine(cookie: string): string
  /** What one `Set-Cookie` of the program becomes. */
  towardsVisitor(setCookie: string): readonly string[]
}

/** As they are. */
export const untouched: ProgramCookies = {
  towardsMachine: cookie => cookie,
  towardsVisitor: setCookie => [setCookie],
}

const mostKept = 10_000

export function createCookieMarks(vault: Pick<Vault, 'derive'>) {
  const key = vault.derive('port cookies')
  const made = new Map<string, ProgramCookies>()
  return ({ kind, id }: Holder, port: number): ProgramCookies => {
    const whose = `${kind} ${id} ${port}`
    let known = made.get(whose)
    if (known) return known
    if (made.size >= mostKept) made.clear()
    known = markedBy(`.${createHmac('sha256', key).update(whose).digest('base64url').slice(0, 22)}`)
    made.set(whose, known)
    return known
  }
}

const markedBy = (mark: string): ProgramCookies => ({
  towardsMachine: cookie =>
    cookie
      .split('; ')
      .flatMap(pair => {
        const [name, ...value] = pair.split('=')
        return name!.endsWith(mark) ? [`${name!.slice(0, -mark.length)}=${value.join('=')}`] : []
      })
      .join('; '),
  towardsVisitor(setCookie) {
    const [pair = '', ...attributes] = setCookie.split(';')
    const [name = '', ...value] = pair.split('=')
    const isHidden = attributes.some(each => each.trim().toLowerCase() === 'httponly')
    const marked = [`${name.trim()}${mark}=${value.join('=')}`, ...attributes]
    return isHidden ? [marked.join(';')] : [setCookie, [...marked, ' HttpOnly'].join(';')]
  },
})
