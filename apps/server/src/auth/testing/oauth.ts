/** A service with an OpenID Connect provider, and the way through it and back. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { noProviders } from '../../config.ts'
import { newId } from '../../db/ids.ts'
import { createTestAuth, fragment, newEmail, siteUrl, type TestAuth, useTestAuth } from './auth-server.ts'
import { browse, type OidcPerson, startOidc, type TestOidc } from './oidc-provider.ts'

type Client = ReturnType<TestAuth['client']>
export const page = `${siteUrl}/arrived?keep=1`

interface Options {
  readonly service?: TestAuth
  readonly scopes?: string
  readonly params?: Record<string, string>
}

export const query = (url: URL) => Object.fromEntries(url.searchParams)

/** A refusal is in the query and in the fragment; what the page's address held stays. */
export function expectRefused(location: URL, error: string, code: string | undefined, description?: string) {
  const told = {
    error,
    ...(code ? { error_code: code } : {}),
    ...(description ? { error_description: description } : {}),
  }
  expect(query(location)).toMatchObject(told)
  expect(fragment(location)).toMatchObject({ ...told, sb: '' })
}

/** As the client's own redirect would do, up to the provider's redirect back to the service. */
export async function leave(client: Client, subject: string, options: Options = {}): Promise<URL> {
  const { data, error } = await client.signInWithOAuth({
    provider: 'oidc' as 'google',
    options: {
      skipBrowserRedirect: true,
      redirectTo: page,
      scopes: options.scopes,
      queryParams: { login_hint: subject, ...options.params },
    },
  })
  expect(error).toBeNull()
  return browse(data.url!)
}

async function start(): Promise<TestAuth & { readonly oidc: TestOidc }> {
  const oidc = await startOidc()
  const auth = await createTestAuth({ providers: { ...noProviders, oidc: oidc.client } })
  return {
    ...auth,
    oidc,
    async [Symbol.asyncDispose]() {
      await auth[Symbol.asyncDispose]()
      await oidc[Symbol.asyncDispose]()
    },
  }
}

/** Starts a provider and a service for the tests of this file. */
export function useTestOauth() {
  const auth = useTestAuth(start)
  const oidc = () => auth.oidc

  /** Somebody at the provider; answers their name there. */
  function person(claims: OidcPerson = {}): string {
    const subject = newId()
    oidc().people.set(subject, { email: newEmail(), email_verified: true, name: 'Grace Hopper', ...claims })
    return subject
  }

  const emailOf = (subject: string): string => oidc().people.get(subject)!.email!

  const arrive = (callback: URL, service: TestAuth = auth) => service.follow(callback)

  async function signIn(client: Client, subject: string, options: Options = {}) {
    return arrive(await leave(client, subject, options), options.service)
  }

  const usersOf = async (email: string) =>
    (await sql<{ id: string }>`select id from auth_user where email = ${email}`.execute(auth.database.kysely))
      .rows

  return { auth, oidc, person, emailOf, arrive, signIn, usersOf }
}
