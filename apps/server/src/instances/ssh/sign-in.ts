/**
 * Who may come in: whoever has a key of the instance's owner, or its password. An unknown user name, a wrong key, a wrong
 * password and another user's instance are refused alike and after the same time. Wrong passwords make whoever sends them
 * wait, for each instance and network; keys know no pause, so nobody keeps an owner out who comes with one.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstanceStatus } from '@ingot/contracts/instances'
import ssh2, { type AuthContext, type PasswordAuthContext, type PublicKeyAuthContext } from 'ssh2'
import { networkOf } from '../../auth/limits.ts'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { passwordContext } from './access.ts'

export interface SignInNeeds {
  readonly database: Database
  readonly vault: Vault
}

/** What somebody is in: an instance, by a key of its owner's or by its password. */
export interface Entry {
  readonly instanceId: string
  readonly userId: string
  readonly name: string
  readonly status: InstanceStatus
  readonly driver: string
  readonly driverRef: string | null
  /** Whoever is at a terminal may start it. */
  readonly offersStart: boolean
  /** Null: by the password, which `passwordMark` tells from a later one. */
  readonly keyId: string | null
  readonly passwordMark: string | null
}

interface Row extends Entry {
  readonly sealed: Buffer | null
}

const find = `
  select i.id as "instanceId", i.user_id as "userId", i.name, i.status, i.driver, i.driver_ref as "driverRef",
    k.id as "keyId", i.ssh_password_sealed as sealed, null as "passwordMark",
    i.ssh_offers_start as "offersStart"
  from gpu_instances i join auth_user u on u.id = i.user_id
  left join ssh_key k on k.user_id = i.user_id and k.public_key = $2
    and (i.ssh_key_ids is null or k.id = any(i.ssh_key_ids))
  where i.ssh_user = $1 and i.status <> 'terminated' and i.desired <> 'deleted'
    and u.deleted_at is null and not coalesce(u.banned_until > now(), false)`

/** Once a minute at most. */
const noteUse = `
  update ssh_key set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`

/** What refuses answers at whole steps: no work here takes as long. */
const stepMs = 100
const freePasswords = 10
const longestPauseSeconds = 300
const userForm = /^[a-z][a-z0-9]{7}$/
const maxPassword = 1024
const methods = ['publickey', 'password'] as const

/** Answers `context`; the entry when it is accepted. */
export async function signIn(
  needs: SignInNeeds,
  context: AuthContext,
  address: string,
): Promise<Entry | null> {
  const began = performance.now()
  if (context.method !== 'publickey' && context.method !== 'password') {
    context.reject([...methods])
    return null
  }
  const row =
    context.method === 'publickey'
      ? await byKey(needs, context)
      : await byPassword(needs, context, networkOf(address))
  if (!row) {
    await sleep(stepMs - ((performance.now() - began) % stepMs))
    context.reject([...methods])
    return null
  }
  context.accept()
  // A client asks first whether a key would do: then nobody is in yet.
  if (context.method === 'publickey' && !context.signature) return null
  if (row.keyId) needs.database.pool.query(noteUse, [row.keyId]).catch(() => {})
  const { sealed: _, ...entry } = row
  return entry
}

async function findRow({ database }: SignInNeeds, user: string, key: Buffer | null): Promise<Row | null> {
  const { rows } = await database.pool.query<Row>({
    name: 'instances.ssh-entry',
    text: find,
    values: [userForm.test(user) ? user : '', key],
  })
  return rows[0] ?? null
}

/** The same entry as it is now, once its instance has been started. */
export async function findEntry({ database }: SignInNeeds, entry: Entry): Promise<Entry | null> {
  const row = await database.kysely
    .selectFrom('gpu_instances')
    .select(['status', 'driver', 'driver_ref'])
    .where('id', '=', entry.instanceId)
    .executeTakeFirst()
  return row ? { ...entry, status: row.status, driver: row.driver, driverRef: row.driver_ref } : null
}

async function byKey(needs: SignInNeeds, context: PublicKeyAuthContext): Promise<Row | null> {
  const { key, blob, signature, hashAlgo } = context
  // The signature is looked at first, whoever's it is.
  const isSigned = !signature || isRight(key, blob!, signature, hashAlgo)
  const row = await findRow(needs, context.username, key.data)
  return isSigned && row?.keyId ? row : null
}

function isRight(
  { algo, data }: PublicKeyAuthContext['key'],
  blob: Buffer,
  signature: Buffer,
  hash: string | undefined,
): boolean {
  // RSA without a hash of its own is RSA with SHA-1.
  if (algo === 'ssh-rsa' && !hash) return false
  const parsed = ssh2.utils.parseKey(`${algo} ${data.toString('base64')}`)
  // It answers an error where it can't tell.
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hash) === true
}

async function byPassword(
  needs: SignInNeeds,
  { username, password }: PasswordAuthContext,
  network: string,
): Promise<Row | null> {
  const { pool } = needs.database
  const key = `ssh:${hash(username.slice(0, 64)).toString('base64url')}:${network}`
  const { rows } = await pool.query<{ seconds: number }>('select auth_locked_seconds($1) as seconds', [key])
  const row = await findRow(needs, username, null)
  if (rows[0]!.seconds > 0) return null
  const right = row?.sealed ? needs.vault.open(row.sealed, passwordContext(row.instanceId)) : null
  const given = hash(password.slice(0, maxPassword))
  if (!timingSafeEqual(given, hash(right ?? '')) || !right) {
    await pool.query('select auth_note_failure($1, $2, $3)', [key, freePasswords, longestPauseSeconds])
    return null
  }
  // Guesses that were made at once gain nothing.
  const cleared = await pool.query<{ seconds: number }>('select auth_clear_failures($1) as seconds', [key])
  return cleared.rows[0]!.seconds > 0 ? null : { ...row!, passwordMark: markOf(row!.sealed!) }
}

const hash = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest()
const markOf = (sealed: Buffer): string => hash(sealed).toString('hex')
