import type { ColumnType } from 'kysely'

/** A `jsonb` column: read as a value, written as text. */
export type Json<T = Record<string, unknown>> = ColumnType<T, string, string>
/** The same where the table has a default; Kysely's `Generated` does not look into a column type. */
export type GeneratedJson<T = Record<string, unknown>> = ColumnType<T, string | undefined, string>
