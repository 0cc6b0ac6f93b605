/**
 * The reference of site.json: what follows the heading *Parts* of its page is written from the declaration. Run as a
 * program (`npm run reference`), this file writes it; `reference.test.ts` fails while it is stale.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { type JsonSchema, jsonSchemaOf } from '@ingot/contracts/json-schema'
import { siteParts } from '@ingot/contracts/site/content'

export const siteReferenceFile = new URL(
  '../../../../web/content/docs/self-hosting/site.mdx',
  import.meta.url,
)

/** The page as it should be. */
export function withSiteReference(page: string): string {
  const head = page.slice(0, page.indexOf('\n## Parts\n') + 1)
  const parts = Object.entries(siteParts).map(([name, { schema, does, pages, absent }]) => ({
    name,
    does,
    pages,
    absent,
    schema: jsonSchemaOf(schema, 'input'),
  }))
  return [
    `${head}## Parts`,
    '',
    '| part | is | left out | shown on | |',
    '|---|---|---|---|---|',
    ...parts.map(
      part =>
        `| \`${part.name}\` | ${kindOf(part.schema)} | ${absentWords[part.absent]} | ${part.pages.map(path => `[${path}](${path})`).join(', ')} | ${part.does} |`,
    ),
    '',
    '## Fields of entries',
    '',
    'Each is needed unless it says otherwise, and is one line of text unless it says otherwise.',
    '',
    '| part | field | is |',
    '|---|---|---|',
    ...parts.flatMap(({ name, schema }) => {
      const entry = schema['items'] as JsonSchema | undefined
      return Object.entries(entry?.properties ?? {}).map(
        ([field, inner]) =>
          `| \`${name}\` | \`${field}\` | ${kindOf(inner)}${entry!.required?.includes(field) ? '' : '; may be left out'} |`,
      )
    }),
    '',
  ].join('\n')
}

const absentWords = { sample: 'a sample', none: 'nothing', standard: '`/console/support`' }

function kindOf(schema: JsonSchema): string {
  const { type, format, maxLength, maxItems, minimum, maximum, items } = schema as {
    type: string
    format?: string
    maxLength?: number
    maxItems?: number
    minimum?: number
    maximum?: number
    items?: JsonSchema
  }
  if (type === 'array') {
    const each =
      items!['type'] === 'object' ? 'entries' : `texts of at most ${String(items!['maxLength'])} letters`
    return `a list of at most ${maxItems} ${each}`
  }
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`
  if (format === 'email') return 'an email address'
  const pattern = String(schema['pattern'] ?? '')
  if (pattern.includes('https:'))
    return pattern.includes('|')
      ? 'an address that begins with `https://`, or a page of this service, such as `/docs`'
      : 'an address that begins with `https://`'
  if (pattern.includes('[a-z0-9]')) return `small letters, digits and single dashes, at most ${maxLength}`
  return `at most ${maxLength} letters`
}

if (import.meta.main)
  await writeFile(siteReferenceFile, withSiteReference(await readFile(siteReferenceFile, 'utf8')))
