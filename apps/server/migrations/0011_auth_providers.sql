-- Signing in through others: OAuth and OpenID Connect providers, SAML connections. And users that somebody invited.

-- Single sign-on users are known by their connection alone: their address says nothing about other accounts, and may be
-- the address of one.
alter table auth_user
  add column is_sso_user boolean not null default false,
  add column invited_at timestamptz,
  add column deleted_at timestamptz;
drop index auth_user_email;
create unique index auth_user_email on auth_user (email) where email is not null and not is_sso_user;
create index auth_user_newest on auth_user (created_at desc, id desc);

-- A visit to a provider, from the redirect there to the one back: once, and for a few minutes. `state_hash` is the SHA-256
-- of what travels through the browser.
create table auth_flow (
  state_hash text primary key,
  provider text not null,
  redirect_to text not null,
  -- The browser's challenge: it is to exchange the outcome itself (PKCE).
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  -- Our own proof towards the provider.
  verifier_sealed bytea not null,
  nonce text not null,
  -- The identity is to be linked to this session's user; it must still stand when the browser comes back.
  link_session_id uuid references auth_session on delete cascade,
  -- The identity answers this user's invitation.
  invited_user_id uuid references auth_user on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz,
  check ((code_challenge is null) = (code_challenge_method is null))
);
create index on auth_flow (expires_at);
create index on auth_flow (link_session_id) where link_session_id is not null;
create index on auth_flow (invited_user_id) where invited_user_id is not null;

-- What the exchange of a code hands on beside the session.
alter table auth_code
  add column provider_token_sealed bytea,
  add column provider_refresh_token_sealed bytea,
  -- The connection that a single sign-on session came through.
  add column sso_provider_id uuid;

-- SAML connections, made by administrators.
create table auth_sso_provider (
  id uuid primary key,
  entity_id text not null unique,
  metadata_url text,
  metadata_xml text not null,
  attribute_mapping jsonb not null default '{}',
  name_id_format text,
  disabled boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table auth_sso_domain (
  id uuid primary key,
  sso_provider_id uuid not null references auth_sso_provider on delete cascade,
  domain text not null unique check (domain = lower(domain)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on auth_sso_domain (sso_provider_id);

-- A visit to a SAML identity provider: the answer must be to this request.
create table auth_relay_state (
  state_hash text primary key,
  sso_provider_id uuid not null references auth_sso_provider on delete cascade,
  request_id text not null,
  redirect_to text not null,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  expires_at timestamptz not null,
  check ((code_challenge is null) = (code_challenge_method is null))
);
create index on auth_relay_state (expires_at);
create index on auth_relay_state (sso_provider_id);

-- The key of this service as a SAML service provider, when the operator gives none.
create table auth_saml_key (
  one boolean primary key default true check (one),
  private_key_sealed bytea not null,
  created_at timestamptz not null default now()
);

-- What is known of a user's providers, from their identities, the oldest first.
create function auth_note_providers(p_user_id uuid) returns void language sql as $$
  update auth_user set updated_at = now(), app_metadata = app_metadata || (
    select jsonb_build_object('provider', p.names[1], 'providers', to_jsonb(p.names))
    from (
      select array_agg(provider order by first_at, provider) as names
      from (
        select provider, min(created_at) as first_at from auth_identity where user_id = p_user_id group by provider
      ) each_provider
    ) p
    where p.names is not null)
  where id = p_user_id and exists (select 1 from auth_identity where user_id = p_user_id)
$$;
