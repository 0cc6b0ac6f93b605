import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/database.ts'
import { hashOfCode, totalCodes } from './recovery-codes.ts'

/** No characters that look like others. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const codeLength = 16

/** Makes a set of codes. Older codes of the factor are worth nothing from now on. */
export async function issueRecoveryCodes(tx: Tx, factorId: string): Promise<string[]> {
  const codes = Array.from({ length: totalCodes }, () =>
    Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  )
  await tx.deleteFrom('auth_recovery_code').where('factor_id', '=', factorId).execute()
  await tx
    .insertInto('auth_recovery_code')
    .values(codes.map(code => ({ factor_id: factorId, code_hash: hashOfCode(code) })))
    .execute()
  return codes
}
