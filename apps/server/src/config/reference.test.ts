import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { authVariables } from './auth-variables.ts'
import { referenceFile, withReference } from './reference.ts'
import { othersVariables } from './unknown-variables.ts'
import { sections, variables } from './variables.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const known = [...Object.keys(variables), ...Object.keys(authVariables)]

test('the reference of variables is written from their declarations: npm run reference', async () => {
  const page = await readFile(referenceFile, 'utf8')
  expect(withReference(page)).toBe(page)
})

test('the reference has every variable once, with a sentence', () => {
  expect(sections.flatMap(section => Object.keys(section.variables)).toSorted()).toEqual(known.toSorted())
  for (const [name, { does }] of sections.flatMap(section => Object.entries(section.variables)))
    expect(does, name).toMatch(/^\S.*\.$/)
})

test('every name that the source and the documentation use is known to the server', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(file => /\.(ts|tsx|mjs|md|mdx|sh|ini)$/.test(file) && !/\/config\/|\.test\.ts$/.test(file))
  expect(files.length).toBeGreaterThan(700)
  const used = files.flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bINGOT_[A-Z_]*[A-Z]\b(?!_?[…*$])/g)].map(
      ([name]) => `${name} in ${file}`,
    ),
  )
  const isKnown = (name: string) => known.includes(name) || othersVariables.includes(name)
  expect(used.filter(each => !isKnown(each.split(' ')[0]!))).toEqual([])
})
