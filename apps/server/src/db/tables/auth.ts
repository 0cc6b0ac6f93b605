/** Identity, sessions, factors, codes, providers and limits of sign-in. */
import type { Generated } from 'kysely'
import type { GeneratedJson, Json } from './json.ts'

type ChallengeMethod = 's256' | 'plain'

export interface AuthTables {
  auth_user: {
    id: string
    role: Generated<string>
    email: string | null
    password_hash: string | null
    email_confirmed_at: string | null
    confirmation_sent_at: string | null
    new_email: string | null
    email_change_sent_at: string | null
    phone: string | null
    phone_confirmed_at: string | null
    new_phone: string | null
    phone_change_sent_at: string | null
    recovery_sent_at: string | null
    reauthentication_sent_at: string | null
    last_sign_in_at: string | null
    is_sso_user: Generated<boolean>
    invited_at: string | null
    deleted_at: string | null
    is_proved: Generated<boolean>
    password_given: Generated<boolean>
    password_dropped: Generated<boolean>
    app_metadata: GeneratedJson
    user_metadata: GeneratedJson
    banned_until: string | null
    created_at: Generated<string>
    updated_at: Generated<string>
    is_anonymous: Generated<boolean>
  }
  user_roles: {
    user_id: string
    role: 'moderator' | 'admin'
    created_by: string | null
    created_at: Generated<string>
  }
  auth_identity: {
    id: string
    user_id: string
    provider: string
    provider_id: string
    identity_data: Json
    last_sign_in_at: string | null
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  auth_session: {
    id: string
    user_id: string
    refresh_counter: Generated<bigint>
    aal: Generated<'aal1' | 'aal2'>
    amr: GeneratedJson<{ method: string; timestamp: number; provider?: string; factor_id?: string }[]>
    user_agent: string | null
    ip: string | null
    created_at: Generated<string>
    refreshed_at: Generated<string>
    first_counter: Generated<bigint>
    last_active_at: Generated<string>
    superseded_at: string | null
  }
  auth_place: { user_id: string; place: string; seen_at: Generated<string> }
  auth_device: { user_id: string; device: string; first_seen_at: Generated<string> }
  auth_signing_key: {
    kid: string
    public_jwk: Json
    private_jwk_sealed: Buffer
    signs: boolean
    created_at: Generated<string>
    signs_from: string | null
    signs_until: string | null
  }

  auth_factor: {
    id: string
    user_id: string
    factor_type: 'totp' | 'phone' | 'recovery_code' | 'webauthn'
    status: Generated<'unverified' | 'verified'>
    friendly_name: string
    secret_sealed: Buffer | null
    last_step: Generated<bigint>
    phone: string | null
    failures: Generated<number>
    locked_until: string | null
    last_challenged_at: string | null
    created_at: Generated<string>
    updated_at: Generated<string>
    credential_id: Buffer | null
    public_key: Buffer | null
    sign_count: Generated<bigint>
    transports: Generated<string[]>
  }
  auth_factor_challenge: {
    id: string
    factor_id: string
    ip: string | null
    code_sealed: Buffer | null
    expires_at: string
    verified_at: string | null
    nonce: Buffer | null
  }
  auth_recovery_code: { factor_id: string; code_hash: string; used_at: string | null }

  auth_otp: {
    user_id: string
    kind:
      | 'signup'
      | 'recovery'
      | 'magiclink'
      | 'invite'
      | 'email_change_current'
      | 'email_change_new'
      | 'sms'
      | 'phone_change'
      | 'reauthentication'
    token_hash: string
    code_sealed: Buffer | null
    password_hash: string | null
    identity_id: string | null
    code_challenge: string | null
    code_challenge_method: ChallengeMethod | null
    failed_attempts: Generated<number>
    asker_failures: Generated<number>
    sent_at: Generated<string>
    expires_at: string
  }
  auth_code: {
    code_hash: string
    user_id: string
    code_challenge: string
    code_challenge_method: ChallengeMethod
    method: string
    expires_at: string
    provider_token_sealed: Buffer | null
    provider_refresh_token_sealed: Buffer | null
    sso_provider_id: string | null
  }

  auth_flow: {
    state_hash: string
    provider: string
    redirect_to: string
    code_challenge: string | null
    code_challenge_method: ChallengeMethod | null
    verifier_sealed: Buffer
    nonce: string
    link_session_id: string | null
    invited_user_id: string | null
    expires_at: string
    used_at: string | null
  }
  auth_sso_provider: {
    id: string
    entity_id: string
    metadata_url: string | null
    metadata_xml: string
    attribute_mapping: GeneratedJson
    name_id_format: string | null
    disabled: Generated<boolean>
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  auth_sso_domain: {
    id: string
    sso_provider_id: string
    domain: string
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  auth_relay_state: {
    state_hash: string
    sso_provider_id: string
    request_id: string
    redirect_to: string
    code_challenge: string | null
    code_challenge_method: ChallengeMethod | null
    expires_at: string
  }
  auth_saml_key: { one: Generated<boolean>; private_key_sealed: Buffer; created_at: Generated<string> }

  auth_bucket: { key: string; tokens: number; refilled_at: string }
  auth_failure: { key: string; count: number; failed_at: string; locked_until: string | null }
  auth_sending: { key: string; sent_at: string; asked_by: Generated<string[]> }
}
