import { describe, expect, test } from 'vitest'
import { findCircles, findDeadRows, findForbidden, findTooLarge, readArrows } from './arrows.ts'
import { mostFilesInRoom, mostLines } from './house.ts'

const arrow = (text: string) => {
  const [from, to] = text.split(' -> ') as [string, string]
  return { from, to }
}
const server = 'apps/server/src'
const console = 'apps/web/src/console'

test('every way to import a file of the house is seen, packages of others are not', () => {
  const text = `import type { A } from './a.ts'
    export { b } from '../b.ts'
    import '@ingot/contracts/errors'
    import pino from 'pino'
    const late = () => import('./late.ts')`
  expect(readArrows('apps/x/src/file.ts', text)).toEqual({
    error: null,
    arrows: ['apps/x/src/a.ts', 'packages/contracts/src/errors.ts', 'apps/x/b.ts', 'apps/x/src/late.ts'].map(
      to => ({ from: 'apps/x/src/file.ts', to }),
    ),
  })
  expect(readArrows('apps/x/src/file.ts', 'import {').error).not.toBeNull()
})

describe('who may import whom', () => {
  test.each([
    [`${server}/wallet/a.ts -> ${server}/db/b.ts`],
    [`${server}/wallet/a.ts -> ${server}/wallet/deep/b.ts`],
    [`${server}/product/app.ts -> ${server}/wallet/routes.ts`],
    [`${console}/billing/A.tsx -> ${console}/wallet/b.ts`],
    [`apps/web/src/site/a.ts -> packages/compute/src/simulated/b.ts`],
  ])('allowed: %s', text => expect(findForbidden([arrow(text)])).toEqual([]))

  test.each([
    [`${server}/db/a.ts -> ${server}/wallet/b.ts`, "'wallet' stands above 'db'"],
    [`${server}/http/a.ts -> ${server}/product/b.ts`, "'product' stands above 'http'"],
    [`${server}/http/a.ts -> ${server}/worker/b.ts`, 'stand on one floor'],
    [`${server}/accounts/a.ts -> ${server}/wallet/routes.ts`, "another room's routes"],
    [`${server}/attic/a.ts -> ${server}/db/b.ts`, "has no room 'attic'"],
    [`${console}/shell/a.ts -> ${console}/wallet/b.ts`, "'wallet' stands above 'shell'"],
    [`${console}/wallet/a.ts -> apps/server/src/db/b.ts`, 'may import'],
    [`packages/contracts/src/a.ts -> packages/sdk/src/b.ts`, 'nothing else of the house'],
    [`apps/web/src/site/a.ts -> packages/compute/src/driver.ts`, 'may import'],
  ])('forbidden: %s', (text, why) => {
    expect(findForbidden([arrow(text)])).toEqual([expect.stringContaining(why)])
  })
})

describe('circles', () => {
  test('two folders that import each other are a circle, though no two files are', () => {
    const arrows = ['r/a/1.ts -> r/b/1.ts', 'r/b/2.ts -> r/a/2.ts'].map(arrow)
    expect(findCircles(arrows)).toEqual(['circle in r: r/a/1.ts imports r/b/1.ts, r/b/2.ts imports r/a/2.ts'])
  })

  test('so are a file and the folder beside it', () => {
    const arrows = ['r/a/1.ts -> r/low.ts', 'r/low.ts -> r/a/2.ts'].map(arrow)
    expect(findCircles(arrows)).toHaveLength(1)
  })

  test('one direction is none, however often', () => {
    const arrows = ['r/a/1.ts -> r/b/1.ts', 'r/a/2.ts -> r/b/c/2.ts', 'r/a/1.ts -> r/a/2.ts'].map(arrow)
    expect(findCircles(arrows)).toEqual([])
  })
})

test('a crowded room and a long file are told, tests count by their lines alone, the shelf of primitives is no room', () => {
  const many = (folder: string, ending: string) =>
    Array.from({ length: mostFilesInRoom + 1 }, (_, at) => [`${folder}/f${at}${ending}`, ''] as const)
  const long = '\n'.repeat(mostLines + 1)
  const files = new Map([
    ...many('apps/x/crowded', '.ts'),
    ...many('apps/x/tested', '.test.ts'),
    ...many('apps/web/src/ui', '.tsx'),
    ['docs/long.md', long] as const,
    ['apps/x/long.test.ts', long] as const,
    ['apps/server/functions.sql', long] as const,
  ])
  expect(findTooLarge(files)).toEqual([
    expect.stringContaining('apps/x/crowded holds 31 files'),
    expect.stringContaining('docs/long.md has 401 lines'),
    expect.stringContaining('apps/x/long.test.ts has 401 lines'),
  ])
})

test('a row of the table that fits nothing is told', () => {
  const dead = findDeadRows(['packages/sdk/src/client.ts', `${server}/db/a.ts`], [])
  expect(dead).toContain('tools/house.ts: packages/sdk/src/ no longer imports packages/contracts/src/')
  expect(dead).toContain("tools/house.ts: there is no 'wallet' any more")
  expect(dead).toContain('tools/house.ts: e2e/ is a place without files')
})
