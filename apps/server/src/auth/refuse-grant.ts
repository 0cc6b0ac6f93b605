/** Grants of POST /token that this service does not offer, or that do not exist. */
import { AuthError } from './errors.ts'

export function refuseGrant(grantType: string): never {
  if (grantType === 'web3') throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
  throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type')
}
