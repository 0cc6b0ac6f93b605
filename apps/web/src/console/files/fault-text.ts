/** What went wrong with a path, in the words of the machine that has it. */
import { IngotError } from '@ingot/contracts/errors'
import { errorText } from '../shell/error-text.ts'

export function faultText(error: unknown): string {
  const fields = error instanceof IngotError ? error.fields : undefined
  return fields?.['path'] ?? fields?.['to'] ?? errorText(error)
}

const there = 'Something with this name is already there.'
export const isThere = (error: unknown): boolean => error instanceof IngotError && faultText(error) === there
