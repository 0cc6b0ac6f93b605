/**
 * The text in force of what the migrations made and replaced over time: every function, trigger and domain, as
 * `functions.sql` beside `migrations/`. Run as a program (`npm run functions`), this file migrates an empty database
 * and writes it; `functions.test.ts` fails while it is stale.
 *
 * Statements come from the catalogue. It keeps no comments, so a statement gets those that stand above it in the
 * migration that wrote it last.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { type Db, openDatabase } from './database.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { migrate, type Migration, readMigrations } from './migrate.ts'
import { openServerRole } from './server-role.ts'

export const functionsFile = new URL('../../functions.sql', import.meta.url)

const head = `-- Every function, trigger and domain of the database, as all migrations together leave it: for reading. Written by
-- \`npm run functions\` from the catalogue of a migrated database, and applied to none: changes are made in a new file in
-- migrations/. Above a statement stand the migration that wrote it last and its comment there.`

interface Statement {
  readonly kind: 'domain' | 'function' | 'trigger'
  readonly name: string
  readonly text: string
}

/** Objects of an extension come with it and have no migration. */
const isOurs = sql`not exists (select from pg_depend d where d.classid = o.tableoid and d.objid = o.oid and d.deptype = 'e')`

/** In the order of the file, which no locale changes: domains, functions, triggers. */
const statements = sql<Statement>`
  select kind, name, text from (
    select 1 as place, 'domain' as kind, o.typname::text as name, '' as detail,
      format('CREATE DOMAIN %I.%I AS %s', n.nspname, o.typname, format_type(o.typbasetype, o.typtypmod))
      || coalesce(E'\n  DEFAULT ' || o.typdefault, '')
      || case when o.typnotnull then E'\n  NOT NULL' else '' end
      || coalesce((
        select string_agg(format(E'\n  CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid)), '' order by c.conname collate "C")
        from pg_constraint c where c.contypid = o.oid and c.contype = 'c'), '') as text
    from pg_type o join pg_namespace n on n.oid = o.typnamespace
    where n.nspname = 'public' and o.typtype = 'd' and ${isOurs}
    union all
    select 2, 'function', o.proname, pg_get_function_identity_arguments(o.oid), pg_get_functiondef(o.oid)
    from pg_proc o join pg_namespace n on n.oid = o.pronamespace
    where n.nspname = 'public' and o.prokind <> 'a' and ${isOurs}
    union all
    select 3, 'trigger', t.relname, o.tgname, pg_get_triggerdef(o.oid)
    from pg_trigger o join pg_class t on t.oid = o.tgrelid join pg_namespace n on n.oid = t.relnamespace
    where n.nspname = 'public' and not o.tgisinternal and ${isOurs}
  ) every_object
  order by place, name collate "C", detail collate "C"`

export async function readFunctions(db: Db): Promise<string> {
  const { rows } = await statements.execute(db)
  const migrations = await readMigrations()
  const texts = rows.map(row => `${originOf(row, migrations)}${row.text.trimEnd()};`)
  return `${[head, ...texts].join('\n\n')}\n`
}

/** Triggers stand below their function in a migration, which says what they are for. */
function originOf({ kind, name }: Statement, migrations: readonly Migration[]): string {
  if (kind === 'trigger') return ''
  const created = new RegExp(`((?:^--.*\\n)*)^create (?:or replace )?${kind} ${name}\\b`, 'gim')
  const found = migrations.flatMap(migration =>
    [...migration.sql.matchAll(created)].map(match => ({ migration, comment: match[1]! })),
  )
  const last = found.at(-1)
  return last ? `-- ${last.migration.name}\n${last.comment}` : ''
}

async function writeFunctions(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-functions-'))
  await chmod(dir, 0o711)
  const postgres = await startEmbeddedPostgres({ dir, settings: { fsync: 'off' } })
  const database = openDatabase(postgres.url)
  try {
    await migrate(postgres.url)
    await openServerRole(postgres.url, 'for nothing but this')
    await writeFile(functionsFile, await readFunctions(database.kysely))
  } finally {
    await database.close()
    await postgres.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFunctions()
