/**
 * Which ways to sign in the service offers, and by which rules. Until it has answered, and when it cannot, there are
 * none beside mail, and the usual rules.
 */
import { messageSpacingSeconds, passwordLimits } from '@ingot/contracts/accounts'
import { queryOptions, useQuery } from '@tanstack/react-query'

interface AuthSettings {
  readonly external: Readonly<Record<string, boolean>>
  /** What an operator calls a provider of their own. */
  readonly external_names?: Readonly<Record<string, string>>
  readonly saml_enabled: boolean
  readonly sms_provider: string
  readonly disable_signup: boolean
  readonly password_min_length?: number
  readonly mail_spacing_seconds?: number
}

export const authSettingsQuery = queryOptions({
  queryKey: ['auth', 'settings'],
  queryFn: async ({ signal }): Promise<AuthSettings> => {
    const response = await fetch('/auth/v1/settings', { signal })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return (await response.json()) as AuthSettings
  },
  staleTime: 600_000,
})

export interface SignInWays {
  /** What can be signed in with and linked. */
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly hasSso: boolean
  readonly hasSms: boolean
  /** Anybody may open an account. */
  readonly hasSignUp: boolean
}

/** Not providers: they have screens of their own, or none. */
const others = new Set(['email', 'phone', 'anonymous_users', 'saml', 'web3_solana', 'web3_ethereum'])

export function readWays(settings: AuthSettings | undefined): SignInWays {
  const on = Object.entries(settings?.external ?? {}).filter(([name, isOn]) => isOn && !others.has(name))
  return {
    providers: on
      .map(([id]) => ({ id, name: settings?.external_names?.[id] ?? providerName(id) }))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    hasSso: settings?.saml_enabled ?? false,
    hasSignUp: !settings?.disable_signup,
    hasSms: Boolean(settings?.external['phone'] || settings?.sms_provider),
  }
}

export interface SignInRules {
  readonly minPasswordLength: number
  /** Between two mails to one address. */
  readonly mailSpacingSeconds: number
}

export const readRules = (settings: AuthSettings | undefined): SignInRules => ({
  minPasswordLength: settings?.password_min_length ?? passwordLimits.minCharacters,
  mailSpacingSeconds: settings?.mail_spacing_seconds ?? messageSpacingSeconds,
})

export const useSignInRules = (): SignInRules => readRules(useQuery(authSettingsQuery).data)

export const useSignInWays = (): SignInWays => readWays(useQuery(authSettingsQuery).data)

const names: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  azure: 'Microsoft',
  oidc: 'OpenID Connect',
}

export const providerName = (provider: string): string =>
  names[provider] ?? provider.charAt(0).toUpperCase() + provider.slice(1)
