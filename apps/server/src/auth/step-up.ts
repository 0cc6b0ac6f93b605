/**
 * What staff must show beside their role. A session that owes a second factor is refused everywhere (`authenticate`); the
 * operator may demand that staff have one before they change anything; and calls about money and roles ask for a proof
 * that is minutes old, because a session that is left open is not its owner.
 */
import { IngotError } from '@ingot/contracts/errors'
import { isOfStaff, type Operation } from '@ingot/contracts/operation'
import type { Caller } from '../http/bind.ts'
import { freshUntil, getProof, type ProofNeeds } from './own-proof.ts'
import { defaultSettings } from './settings.ts'

export function createStepUp({ database, config }: ProofNeeds) {
  const { staffFactor } = defaultSettings(config)
  return async (op: Operation, caller: Caller): Promise<void> => {
    const needsFactor = staffFactor && isOfStaff(op) && op.method !== 'GET'
    if ((!needsFactor && !op.fresh) || caller.keyId !== null) return
    const proof = await getProof(database.kysely, caller)
    if (needsFactor && proof.aal !== 'aal2') throw new IngotError('factor_required')
    if (op.fresh && !freshUntil(proof)) throw new IngotError('proof_required')
  }
}
