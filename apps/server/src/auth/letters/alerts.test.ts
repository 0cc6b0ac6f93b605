import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestAuth, newEmail, siteUrl, type TestAuth } from '../testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

const password = 'correct horse'
const chrome = (version: number, system = 'Windows NT 10.0; Win64; x64') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`

const signIn = (email: string, userAgent: string, headers: Record<string, string> = {}) =>
  auth.call('POST', '/token?grant_type=password', {
    body: { email, password },
    headers: { 'user-agent': userAgent, ...headers },
  })
const subjects = async (email: string) => (await auth.mailTo(email)).map(mail => mail.subject)
const newSignIn = 'New sign-in to your Ingot account'

describe('a sign-in from a browser that was not used before', () => {
  test('is told by mail: what it was, from where, when, and what to do', async () => {
    const { email } = await auth.signedIn()
    const count = (await auth.mailTo(email)).length
    expect((await signIn(email, chrome(129), { 'x-forwarded-for': '198.51.100.7' })).status).toBe(200)
    const [letter, ...older] = await auth.mailTo(email)
    expect(older).toHaveLength(count)
    expect(letter!.subject).toBe(newSignIn)
    expect(letter!.text).toContain('Chrome 129 on Windows PC, from 198.51.100.7')
    expect(letter!.text).toMatch(/Time: {4}\d+ \w+ \d{4}, \d\d:\d\d UTC/)
    expect(letter!.links).toEqual([`${siteUrl}/forgot-password`])
  })

  test('is told once: not again, not after an update, not after signing out', async () => {
    const { email, id } = await auth.signedIn()
    await signIn(email, chrome(129))
    await signIn(email, chrome(129))
    await signIn(email, chrome(131))
    await sql`delete from auth_session where user_id = ${id}`.execute(auth.database.kysely)
    await signIn(email, chrome(132))
    expect((await subjects(email)).filter(subject => subject === newSignIn)).toHaveLength(1)
    await signIn(email, chrome(132, 'X11; Linux x86_64'))
    expect((await subjects(email)).filter(subject => subject === newSignIn)).toHaveLength(2)
  })

  test('is not told for the first one of an account, nor for a wrong password', async () => {
    const { email } = await auth.signedIn()
    await auth.call('POST', '/token?grant_type=password', {
      body: { email, password: 'wrong' },
      headers: { 'user-agent': chrome(129) },
    })
    expect(await subjects(email)).toEqual(['Confirm your address to open your Ingot account'])
  })

  test('is told for links as well as for passwords', async () => {
    const { email } = await auth.signedIn()
    await auth.client().signInWithOtp({ email })
    const link = (await auth.linksTo(email))[0]!
    await auth.call('GET', `/verify${link.search}`, { headers: { 'user-agent': chrome(129) } })
    expect((await subjects(email))[0]).toBe(newSignIn)
  })

  test('is told of two at once in two letters, and of two alike in one', async () => {
    const { email } = await auth.signedIn()
    const agents = [chrome(129), chrome(129), chrome(129, 'X11; Linux x86_64')]
    await Promise.all(agents.map(agent => signIn(email, agent)))
    expect((await subjects(email)).filter(subject => subject === newSignIn)).toHaveLength(2)
  })

  test('is not told to who does not want that, who is told of a new password all the same', async () => {
    const { email, id, client } = await auth.signedIn()
    await sql`insert into user_settings (user_id, security_alerts) values (${id}, false)`.execute(
      auth.database.kysely,
    )
    await signIn(email, chrome(129))
    expect(await subjects(email)).not.toContain(newSignIn)
    await client.updateUser({ password: 'battery staple' })
    expect(await subjects(email)).toContain('Your Ingot password was changed')
  })
})

describe('the owner of an account is told', () => {
  test('of a new password', async () => {
    const { email, client } = await auth.signedIn()
    auth.wakeUps.length = 0
    await client.updateUser({ password: 'battery staple' })
    const [letter] = await auth.mailTo(email)
    expect(letter!.subject).toBe('Your Ingot password was changed')
    expect(letter!.text).toContain(`Account: ${email} at localhost:8080`)
    expect(letter!.links).toEqual([`${siteUrl}/forgot-password`])
    expect(auth.wakeUps).toContain('mail')
  })

  test('not of a password that was refused, nor of other changes', async () => {
    const { email, client } = await auth.signedIn()
    const count = (await auth.mailTo(email)).length
    await client.updateUser({ password })
    await client.updateUser({ password: 'short' })
    await client.updateUser({ data: { a: 1 } })
    expect(await auth.mailTo(email)).toHaveLength(count)
  })

  test('of a new address, at the old one, once it is in use', async () => {
    const { email, client } = await auth.signedIn()
    const next = newEmail()
    await client.updateUser({ email: next })
    await auth.follow((await auth.linksTo(email))[0]!)
    expect(await subjects(email)).not.toContain('Your Ingot account has a new address')
    await auth.follow((await auth.linksTo(next))[0]!)
    const [letter] = await auth.mailTo(email)
    expect(letter!.subject).toBe('Your Ingot account has a new address')
    expect(letter!.text).toContain(`Your account now uses the address ${next}.`)
    expect(letter!.text).toContain(`Account: ${email} at localhost:8080`)
    expect(await subjects(next)).not.toContain('Your Ingot account has a new address')
  })
})
