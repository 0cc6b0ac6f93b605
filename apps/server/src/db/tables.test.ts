/** Types vanish at run time, so the files are parsed: each column is one line, written alike from both sides. */
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { parseSync, type TSType, type TSTypeLiteral } from 'oxc-parser'
import { expect, test } from 'vitest'
import type { Db } from './database.ts'
import { createTestDatabase } from './test-database.ts'

interface Column {
  /** What JavaScript gets, or the values that a check allows. */
  readonly values: readonly string[]
  readonly nullable: boolean
  /** `always`: nobody else may write it. */
  readonly generated: 'no' | 'default' | 'always'
}

const line = (table: string, name: string, { values, nullable, generated }: Column): string =>
  `${table}.${name}: ${values.toSorted().join(' | ')}${nullable ? ' | null' : ''}${generated === 'no' ? '' : `, generated ${generated}`}`

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

/** Every column of `Tables`, through the files that it is put together from. */
async function readTypes(): Promise<string[]> {
  const { program, module } = parseSync('tables.ts', await read('tables.ts'))
  const files = new Map(
    module.staticImports.flatMap(each => each.entries.map(entry => [entry.localName.value, each] as const)),
  )
  const parts = program.body.flatMap(each =>
    each.type === 'ExportNamedDeclaration' && each.declaration?.type === 'TSInterfaceDeclaration'
      ? each.declaration.extends.map(part => (part.expression as { name: string }).name)
      : [],
  )
  const columns = await Promise.all(
    parts.map(async part => readPart(part, await read(files.get(part)!.moduleRequest.value))),
  )
  return columns.flat()
}

function readPart(part: string, text: string): string[] {
  const declarations = parseSync('part.ts', text).program.body.map(each =>
    each.type === 'ExportNamedDeclaration' ? each.declaration : each,
  )
  const aliases = new Map(
    declarations.flatMap(each =>
      each?.type === 'TSTypeAliasDeclaration' ? [[each.id.name, each.typeAnnotation] as const] : [],
    ),
  )
  const tables = declarations.find(each => each?.type === 'TSInterfaceDeclaration' && each.id.name === part)
  if (tables?.type !== 'TSInterfaceDeclaration') throw new Error(`${part} is not an interface`)
  return membersOf(tables.body.body).flatMap(([table, type]) =>
    membersOf((type as TSTypeLiteral).members).map(([column, type]) =>
      line(table, column, columnOf(type, aliases)),
    ),
  )
}

const membersOf = (members: TSTypeLiteral['members']): [string, TSType][] =>
  members.map(member => {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || member.optional)
      throw new Error(`a table has columns with plain names and nothing else: ${member.type}`)
    return [member.key.name, member.typeAnnotation!.typeAnnotation]
  })

const plain = (value: string): Column => ({ values: [value], nullable: false, generated: 'no' })

function columnOf(type: TSType, aliases: ReadonlyMap<string, TSType>): Column {
  switch (type.type) {
    case 'TSUnionType': {
      const parts = type.types.map(each => columnOf(each, aliases))
      return {
        values: parts.flatMap(part => part.values),
        nullable: parts.some(part => part.nullable),
        generated: parts.find(part => part.generated !== 'no')?.generated ?? 'no',
      }
    }
    case 'TSNullKeyword':
      return { values: [], nullable: true, generated: 'no' }
    case 'TSLiteralType':
      return plain(`'${(type.literal as { value: string }).value}'`)
    case 'TSArrayType':
      return plain(`${columnOf(type.elementType, aliases).values.join()}[]`)
    case 'TSTypeReference': {
      const name = (type.typeName as { name: string }).name
      const alias = aliases.get(name)
      if (alias) return columnOf(alias, aliases)
      const inner = type.typeArguments?.params[0]
      if (name === 'Generated') return { ...columnOf(inner!, aliases), generated: 'default' }
      if (name === 'GeneratedAlways') return { ...columnOf(inner!, aliases), generated: 'always' }
      if (name === 'GeneratedJson') return { ...plain('Json'), generated: 'default' }
      return plain(name)
    }
    default:
      return plain(/^TS(\w+)Keyword$/.exec(type.type)?.[1]?.toLowerCase() ?? type.type)
  }
}

/** What the driver makes of each type: see `database.ts`. */
const javascript: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  'double precision': 'number',
  inet: 'string',
  integer: 'number',
  real: 'number',
  'real[]': 'number[]',
  jsonb: 'Json',
  smallint: 'number',
  text: 'string',
  'text[]': 'string[]',
  'integer[]': 'number[]',
  'timestamp with time zone': 'string',
  uuid: 'string',
  'uuid[]': 'string[]',
  xid8: 'string',
}

async function readCatalogue(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    table: string
    name: string
    type: string
    nullable: boolean
    generated: Column['generated']
    check: string | null
  }>`
    select c.relname as table, a.attname as name, not a.attnotnull as nullable,
      format_type(coalesce(nullif(t.typbasetype, 0), t.oid), a.atttypmod) as type,
      case
        -- A default, but the number of the transaction is nobody's to write.
        when a.attidentity = 'a' or a.attgenerated <> '' or pg_get_expr(d.adbin, d.adrelid) = 'pg_current_xact_id()' then 'always'
        when a.attidentity <> '' or a.atthasdef then 'default'
        else 'no' end as generated,
      (select substring(pg_get_constraintdef(k.oid) from '= ANY \\(ARRAY\\[(''.*)\\]') from pg_constraint k
        where k.contype = 'c' and (k.contypid = t.oid or (k.conrelid = c.oid and k.conkey = array[a.attnum]))
          and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[''%') as check
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped`.execute(
    db,
  )
  return rows.map(({ table, name, type, check, ...row }) => {
    const allowed = check?.match(/'[^']*'(?=::text)/g)
    return line(table, name, { ...row, values: allowed ?? [javascript[type] ?? `no type for ${type}`] })
  })
}

test('the types have the tables and columns of the migrated schema, and no others', async () => {
  await using database = await createTestDatabase()
  const [types, catalogue] = [await readTypes(), await readCatalogue(database.kysely)]
  expect(types.length).toBeGreaterThan(300)
  const lacking = catalogue.filter(each => !types.includes(each))
  const unknown = types.filter(each => !catalogue.includes(each))
  expect({ lacking, unknown }, 'db/tables/ and the migrations differ').toEqual({ lacking: [], unknown: [] })
})
