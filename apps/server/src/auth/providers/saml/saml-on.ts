/** Whether single sign-on by SAML is offered: at all, and through one connection. */
import { AuthError } from '../../errors.ts'
import type { AuthSettings } from '../../settings.ts'
import type { Connection } from './queries.ts'

export const isSamlOn = ({ settings }: { settings: AuthSettings }): boolean =>
  settings.providers.samlKey !== null

export function assertSaml(needs: { settings: AuthSettings }): void {
  if (!isSamlOn(needs)) throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
}

export function assertEnabled({ disabled }: Connection): void {
  if (disabled)
    throw new AuthError(
      404,
      'sso_provider_disabled',
      'SSO Provider assigned for this domain is currently disabled',
    )
}
