import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const rooms = new URL('../', import.meta.url)

/** Each as `room: name`. */
async function readNames(): Promise<string[]> {
  const names: string[] = []
  for await (const path of glob('**/*.ts', { cwd: rooms, exclude: ['**/*.test.ts'] })) {
    const text = await readFile(new URL(path, rooms), 'utf8')
    for (const [, name] of text.matchAll(/\bname: '([^']*)',\s*text\b/g))
      names.push(`${path.split('/')[0]}: ${name}`)
  }
  return names
}

test('every named statement has a name of its own, in the style room.what', async () => {
  const names = await readNames()
  expect(names).toContain('instances: instances.list')
  expect(new Set(names).size).toBe(names.length)
  for (const each of names) expect(each).toMatch(/^(\w+): \1\.[a-z]+(-[a-z]+)*$/)
})
