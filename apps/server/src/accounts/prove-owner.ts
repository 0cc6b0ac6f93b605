/** Whoever is signed in gives their password once more: the session counts as just proven. */
import type { Proof } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { assertOwnPassword, freshUntil, getProof, type ProofNeeds } from '../auth/own-proof.ts'
import type { Places } from '../auth/visitor.ts'
import type { Db } from '../db/database.ts'
import type { SessionCaller } from '../http/bind.ts'

export async function readProof(db: Db, caller: SessionCaller): Promise<Proof> {
  const proof = await getProof(db, caller)
  return { by: proof.kind === 'aal2' ? 'factor' : 'password', fresh_until: freshUntil(proof) }
}

export async function proveOwner(
  needs: ProofNeeds,
  caller: SessionCaller,
  password: string,
  places: Places,
): Promise<Proof> {
  const db = needs.database.kysely
  const proof = await getProof(db, caller)
  if (proof.kind === 'aal2')
    throw new IngotError('invalid_state', { message: 'Use your second factor: the password is not enough' })
  await assertOwnPassword(needs, caller.userId, proof, password, places)
  // Only while the password is the one that was given.
  await sql`
    update auth_session set amr = jsonb_build_array(jsonb_build_object('method', 'password', 'timestamp', floor(extract(epoch from now()))::bigint))
      || jsonb_path_query_array(amr, '$[*] ? (@.method != "password")')
    where id = ${caller.sessionId} and exists (
      select from auth_user where id = ${caller.userId} and password_hash = ${proof.password_hash})`.execute(
    db,
  )
  return readProof(db, caller)
}
