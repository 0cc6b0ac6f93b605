/**
 * The reference of variables: what follows the first heading of the page on configuration is written from their
 * declarations. Run as a program (`npm run reference`), this file writes it; `reference.test.ts` fails while it is
 * stale.
 */
import { readFile, writeFile } from 'node:fs/promises'
import type { Variable } from './variable.ts'
import { type Section, sections } from './variables.ts'

export const referenceFile = new URL(
  '../../../web/content/docs/self-hosting/configuration.mdx',
  import.meta.url,
)

/** The page as it should be. */
export function withReference(page: string): string {
  const head = page.slice(0, page.indexOf('\n## ') + 1)
  return `${head}${sections.map(textOf).join('\n')}`
}

const textOf = ({ title, note, variables }: Section): string =>
  [
    `## ${title}`,
    '',
    ...(note ? [note, ''] : []),
    '| variable | default | |',
    '|---|---|---|',
    ...Object.entries(variables).map(
      ([name, variable]) =>
        `| \`${name}\` | ${defaultOf(variable)} | ${[variable.does, variable.kind].filter(Boolean).join(' ')} |`,
    ),
    '',
  ].join('\n')

function defaultOf({ absent, shown }: Variable<unknown>): string {
  if (shown !== undefined) return shown
  return absent === null || Array.isArray(absent) ? '' : `\`${String(absent)}\``
}

if (import.meta.main) await writeFile(referenceFile, withReference(await readFile(referenceFile, 'utf8')))
