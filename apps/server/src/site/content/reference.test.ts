import { readFile } from 'node:fs/promises'
import { siteParts } from '@ingot/contracts/site/content'
import { expect, test } from 'vitest'
import { parseSiteFile } from './read-site-file.ts'
import { siteReferenceFile, withSiteReference } from './reference.ts'

const page = await readFile(siteReferenceFile, 'utf8')

test('the reference of site.json is written from its declaration: npm run reference', () => {
  expect(withSiteReference(page)).toBe(page)
  for (const [name, { does }] of Object.entries(siteParts)) expect(does, name).toMatch(/^\S.*\.$/)
})

test('the example of the page is a file that the server takes', () => {
  const [, example] = /```json[^\n]*\n([\s\S]*?)\n```/.exec(page)!
  expect(Object.keys(parseSiteFile('site.json', example!)).length).toBeGreaterThan(8)
})
