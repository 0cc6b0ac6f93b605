import { expect, it } from 'vitest'
import { folderOfShell } from './shell-folder.ts'

it('the folder of a shell is read from what it says of it', () => {
  expect(
    ['file://trainer/workspace', 'file:///a%20b/%C3%BC', 'file://trainer/', 'file://trainer/100%25'].map(
      folderOfShell,
    ),
  ).toEqual(['/workspace', '/a b/ü', '/', '/100%'])
  expect(['', 'workspace', 'https://a/b', 'file:///%zz', 'file:///a%0Ab'].map(folderOfShell)).toEqual(
    Array.from({ length: 5 }, () => null),
  )
})
