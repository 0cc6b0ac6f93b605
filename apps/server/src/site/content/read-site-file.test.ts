import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxSiteFileBytes } from '@ingot/contracts/site/content'
import { expect, test } from 'vitest'
import { parseSiteFile, readSiteFile } from './read-site-file.ts'

const problem = (content: unknown) => {
  try {
    parseSiteFile('site.json', JSON.stringify(content))
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}
const person = { name: 'Ada', role: 'Engineer', bio: 'Writes programs.' }

test.each([
  ['an unknown part', { logo: [] }, 'a field to correct: logo is not a field of this file'],
  ['an unknown field within', { team: [{ ...person, age: 3 }] }, 'team[0].age is not a field of this file'],
  [
    'a long text',
    { team: [person, { ...person, name: 'x'.repeat(81) }] },
    'team[1].name may have at most 80 letters',
  ],
  ['a missing field', { team: [{ name: 'Ada', role: 'Engineer' }] }, 'team[0].bio must be text'],
  ['a text for a list', { logos: 'Acme' }, 'logos must be a list'],
  ['a list for a text', { legal_name: ['Acme'] }, 'legal_name must be text'],
  [
    'too many',
    { logos: Array.from({ length: 13 }, (_, n) => `Logo ${n}`) },
    'logos may have at most 12 entries',
  ],
  ['an address without TLS', { live_chat: 'http://chat.example' }, 'live_chat must begin with https://'],
  ['a script for an address', { live_chat: 'javascript:alert(1)' }, 'live_chat must begin with https://'],
  ['no address', { sales_email: 'sales' }, 'sales_email must be an email address'],
  ['two lines', { legal_name: 'a\nb' }, 'legal_name must be one line, not blank'],
  [
    'half a star',
    { testimonials: [{ name: 'A', role: 'B', company: 'C', content: 'D', rating: 4.5 }] },
    'testimonials[0].rating must be a whole number',
  ],
  [
    'six stars',
    { testimonials: [{ name: 'A', role: 'B', company: 'C', content: 'D', rating: 6 }] },
    'testimonials[0].rating must be at most 5',
  ],
  ['one name twice', { team: [person, person] }, 'team has “Ada” twice'],
  ['a list', [], 'The file must be an object in { }'],
  ['several', { logo: [], legal_name: 1 }, '2 fields to correct'],
])('%s is refused by its name and place', (_, content, words) => expect(problem(content)).toContain(words))

test('null hides a part, an empty list too, and an empty file changes nothing', () => {
  for (const content of [{}, { team: null, logos: [], legal_name: null }, { team: [person] }])
    expect(parseSiteFile('site.json', JSON.stringify(content))).toEqual(content)
})

test('no file is nothing to say; one that is no JSON, or too large, stops the start with its path', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-site-'))
  const path = join(dir, 'site.json')
  expect(await readSiteFile(dir)).toEqual({})
  await writeFile(path, '{"team": [}')
  await expect(readSiteFile(dir)).rejects.toThrow(`${path} is not valid JSON`)
  await writeFile(path, JSON.stringify({ legal_name: 'x'.repeat(maxSiteFileBytes) }))
  await expect(readSiteFile(dir)).rejects.toThrow(`${path} has more than 256 KB`)
  await writeFile(path, '{"legal_name": "Acme"}')
  expect(await readSiteFile(dir)).toEqual({ legal_name: 'Acme' })
  await rm(dir, { recursive: true })
})
