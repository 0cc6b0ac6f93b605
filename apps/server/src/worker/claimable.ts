import type { Selectable, Updateable } from 'kysely'
import type { Tables } from '../db/tables.ts'

type ClaimColumn = 'due_at' | 'lock_token' | 'lock_expires_at'

/** A table whose rows fall due and can be claimed: any that has the columns for it. */
export type Claimable = {
  [Table in keyof Tables]: ClaimColumn extends keyof Tables[Table] ? Table : never
}[keyof Tables]

export type RowOf<Table extends Claimable> = Selectable<Tables[Table]>

/** What became of a row's work: any of its columns, and when it is due again (null: nothing more to do). */
export type Outcome<Table extends Claimable> = Omit<Updateable<Tables[Table]>, ClaimColumn> & {
  readonly due_at: string | null
}
