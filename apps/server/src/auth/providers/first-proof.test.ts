/** Somebody opens an account by a provider that has not verified the address, which is another person's. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { noProviders } from '../../config.ts'
import { createTestAuth, fragment, newEmail } from '../testing/auth-server.ts'
import { useTestOauth } from '../testing/oauth.ts'
import { browse } from '../testing/oidc-provider.ts'

const { auth, oidc, person, signIn } = useTestOauth()

const owners = 'password of the owner'
const later = async () => {
  await sql`delete from auth_sending`.execute(auth.database.kysely)
  await sql`update auth_user set confirmation_sent_at = confirmation_sent_at - interval '61 seconds'`.execute(
    auth.database.kysely,
  )
}
const newest = async (email: string) => (await auth.linksTo(email))[0]!
const open = async (email: string) => fragment((await auth.follow(await newest(email))).location)
const userOf = async (token: string | undefined) => (await auth.call('GET', '/user', { token })).body

test.each<[string, (email: string) => Promise<unknown>]>([
  ['a sign-up', email => auth.client().signUp({ email, password: owners })],
  ['a mailed link', email => auth.client().signInWithOtp({ email })],
  ['a link to a new password', email => auth.client().resetPasswordForEmail(email)],
])('%s of the owner takes the account from an identity whose address was not verified', async (_, ask) => {
  const email = newEmail()
  const stranger = person({ email, email_verified: false })
  await signIn(auth.client(), stranger)
  await later()
  await ask(email)
  const user = await userOf((await open(email))['access_token'])
  expect(user).toMatchObject({
    email,
    identities: [{ provider: 'email', identity_data: { email, email_verified: true } }],
    app_metadata: { provider: 'email', providers: ['email'] },
  })
  await later()
  expect(fragment((await signIn(auth.client(), stranger)).location)).toMatchObject({
    error_code: 'provider_email_needs_verification',
  })
})

test('the link that opened an account by a provider keeps that identity, also when it is sent again', async () => {
  const subject = person({ email_verified: false })
  const email = oidc().people.get(subject)!.email!
  await signIn(auth.client(), subject)
  await later()
  await auth.client().resend({ type: 'signup', email })
  await open(email)
  expect(fragment((await signIn(auth.client(), subject)).location)['access_token']).toBeTruthy()
})

test('where accounts open without a mail, the owner’s first proof ends identity and sessions of the stranger', async () => {
  const providers = { ...noProviders, oidc: oidc().client }
  await using service = await createTestAuth({ autoconfirm: true, providers }, auth.database)
  const email = newEmail()
  const stranger = person({ email, email_verified: false })
  const { location } = await signIn(service.client(), stranger, { service })
  const token = fragment(location)['access_token']
  expect(await userOf(token)).toMatchObject({ email })
  await auth.client().resetPasswordForEmail(email)
  const owner = (await open(email))['access_token']
  expect(await userOf(token)).toMatchObject({ error_code: 'session_not_found' })
  expect(await userOf(owner)).toMatchObject({ email, identities: [{ provider: 'email' }] })
  const again = await signIn(service.client(), stranger, { service })
  expect(fragment(again.location)).toMatchObject({ error_code: 'provider_email_needs_verification' })
})

test('where accounts open without a mail, a provider that has verified the address gives the account to its owner', async () => {
  await using service = await createTestAuth(
    { autoconfirm: true, providers: { ...noProviders, oidc: oidc().client } },
    auth.database,
  )
  const email = newEmail()
  const stranger = service.client()
  await stranger.signUp({ email, password: 'password of a stranger' })
  const { location } = await signIn(service.client(), person({ email }), { service })
  expect(await userOf(fragment(location)['access_token'])).toMatchObject({
    identities: [{ provider: 'oidc' }],
  })
  expect((await stranger.getUser()).error).not.toBeNull()
  expect(
    (await service.client().signInWithPassword({ email, password: 'password of a stranger' })).error,
  ).toMatchObject({ code: 'invalid_credentials' })
})

test('who links an identity with the account’s address proves it, and ends what a stranger had', async () => {
  const providers = { ...noProviders, oidc: oidc().client }
  await using service = await createTestAuth({ autoconfirm: true, providers }, auth.database)
  const email = newEmail()
  const stranger = service.client()
  const client = service.client()
  await stranger.signUp({ email, password: owners })
  await client.signInWithPassword({ email, password: owners })
  const { data } = await client.linkIdentity({
    provider: 'oidc' as 'google',
    options: { skipBrowserRedirect: true, queryParams: { login_hint: person({ email }) } },
  })
  const { location } = await service.follow(await browse(data.url!))
  expect(await userOf(fragment(location)['access_token'])).toMatchObject({
    email,
    identities: [{ provider: 'oidc' }],
  })
  expect((await stranger.getUser()).error).not.toBeNull()
  expect((await auth.client().signInWithPassword({ email, password: owners })).error).toMatchObject({
    code: 'invalid_credentials',
  })
})
