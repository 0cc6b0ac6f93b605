/**
 * `site.json` of the data folder, read once, at start: what the operator vouches for on the public pages. Without the
 * file everything is as it comes. Whatever is wrong in it stops the start, with the field and what it should be.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { maxSiteFileBytes, type SiteFile, siteFile, siteFileName } from '@ingot/contracts/site/content'
import { ConfigError } from '../../config/config-error.ts'

export async function readSiteFile(dataDir: string): Promise<SiteFile> {
  const path = join(dataDir, siteFileName)
  const found = await stat(path).catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new ConfigError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  })
  if (!found) return {}
  if (found.size > maxSiteFileBytes)
    throw new ConfigError(`${path} has more than ${maxSiteFileBytes / 1024} KB. Shorten it`)
  const text = await readFile(path, 'utf8').catch(error => {
    throw new ConfigError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}). Let the server’s user read it`,
    )
  })
  return parseSiteFile(path, text)
}

export function parseSiteFile(path: string, text: string): SiteFile {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON: ${(error as Error).message}`)
  }
  const { success, data, error } = siteFile.safeParse(given)
  const problems = success ? repeated(data) : error.issues.map(issue => explain(issue as Issue))
  if (problems.length)
    throw new ConfigError(
      `${path} has ${problems.length === 1 ? 'a field' : `${problems.length} fields`} to correct: ${problems.join('; ')}`,
    )
  return data!
}

/** A list whose entries are told apart by one of their fields. */
function repeated({ jobs, team, offices, channels, career_values }: SiteFile): string[] {
  const names = {
    jobs: jobs?.map(each => each.id),
    team: team?.map(each => each.name),
    offices: offices?.map(each => each.city),
    channels: channels?.map(each => each.name),
    career_values: career_values?.map(each => each.title),
  }
  return Object.entries(names).flatMap(([part, each = []]) => {
    const twice = each.find((name, n) => each.indexOf(name) < n)
    return twice === undefined ? [] : [`${part} has “${twice}” twice`]
  })
}

interface Issue {
  readonly code: string
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly expected?: string
  readonly origin?: string
  readonly maximum?: number
  readonly minimum?: number
  readonly keys?: readonly string[]
  readonly input?: unknown
}

/** `team[2].name may have at most 80 letters`. */
function explain(issue: Issue): string {
  const at = (path: Issue['path']) =>
    path.map((part, n) => (typeof part === 'number' ? `[${part}]` : n ? `.${part}` : part)).join('')
  const field = at(issue.path) || 'The file'
  const what = { string: 'letters', array: 'entries' }[issue.origin ?? '']
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue
        .keys!.map(key => `${at([...issue.path, key.slice(0, 60)])} is not a field of this file`)
        .join('; ')
    case 'invalid_type':
      return issue.message === 'must be a whole number'
        ? `${field} ${issue.message}`
        : `${field} must be ${typeNames[issue.expected!] ?? issue.expected}`
    case 'too_big':
      return what
        ? `${field} may have at most ${issue.maximum} ${what}`
        : `${field} must be at most ${issue.maximum}`
    case 'too_small':
      return what
        ? `${field} must have at least ${issue.minimum} ${what}`
        : `${field} must be at least ${issue.minimum}`
    default:
      return `${field} ${issue.message}`
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  array: 'a list',
  object: 'an object in { }',
  number: 'a number',
  int: 'a whole number',
}
