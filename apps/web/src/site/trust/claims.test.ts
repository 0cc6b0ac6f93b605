/** What the pages that people rely on claim, held against the tests of the repository. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createElement, Fragment, type ReactNode } from 'react'
import { prerender } from 'react-dom/static'
import { describe, expect, test } from 'vitest'
import { readAllTests, type WrittenTest } from '../../../../../tools/test-titles.ts'
import { legalHead } from '../legal/LegalPage.tsx'
import * as privacy from '../legal/privacy.tsx'
import { render } from '../render.tsx'
import { ShownContext } from '../shown.ts'
import { links, shown } from '../test-shown.ts'
import * as compliance from './compliance.ts'
import { claim, note, type Sentence } from './claim.ts'
import * as security from './security.ts'
import * as securityStatus from './security-status.tsx'

const words = {
  '/security': [security, securityStatus],
  '/privacy': [privacy, legalHead],
  '/compliance': compliance,
}

/** Every sentence in the words of a page, however deep. */
function sentencesOf(part: unknown): Sentence[] {
  if (typeof part !== 'object' || part === null) return []
  return 'heldBy' in part ? [part as Sentence] : Object.values(part).flatMap(sentencesOf)
}

/** What is wrong with what claims stand on. */
function findUnheld(sentences: readonly Sentence[], tests: readonly WrittenTest[]): string[] {
  const byTitle = Map.groupBy(tests, ({ title }) => title)
  return sentences.flatMap(({ says, heldBy }) =>
    heldBy.flatMap(title => {
      const found = byTitle.get(title) ?? []
      const why =
        found.length === 1
          ? found[0]!.off && `is switched off (${found[0]!.off})`
          : `is the title of ${found.length} tests`
      return why ? [`"${String(says)}": "${title}" ${why}`] : []
    }),
  )
}

const html = async (node: ReactNode): Promise<string> =>
  new Response((await prerender(createElement(ShownContext, { value: shown }, node))).prelude).text()

/** Text in lines, one a block. */
const textOf = (page: string): string =>
  page
    .replaceAll(/<!--.*?-->|<\/?(?:a|b|em|strong|span|time|code)(?: [^>]*)?>/g, '')
    .replaceAll(/<[^>]+>/g, '\n')

/** Headings, names of rows, buttons and fields: they name what follows and say nothing by themselves. */
const withoutNames = (page: string): string =>
  page.replaceAll(/<(h[1-6]|dt|th|summary|nav|form|output|svg)\b[^>]*>.*?<\/\1>/gs, '')
const labels = ['In plain words', 'In the product', 'For the operator', 'Sending this form needs JavaScript.']

/** What stands on a page and is no sentence of its words. */
async function findUnmarked(page: string, sentences: readonly Sentence[]): Promise<string[]> {
  const [, main] = /<main\b[^>]*>(.*)<\/main>/s.exec(page)!
  const marked = await Promise.all(sentences.map(async ({ says }) => textOf(await html(says))))
  const inOrder = [...labels, ...marked].toSorted((a, b) => b.length - a.length)
  const rest = inOrder.reduce((text, sentence) => text.replaceAll(sentence, ''), textOf(withoutNames(main!)))
  return rest.split('\n').flatMap(line => line.trim() || [])
}

describe('the security, privacy and compliance pages', () => {
  const tests = readAllTests()
  test.each(Object.entries(words))('have words: %s', (_, page) => {
    const claims = sentencesOf(page).filter(({ heldBy }) => heldBy.length > 0)
    expect(claims.length).toBeGreaterThan(10)
  })
  test('claim nothing without a test that there is and that runs', () => {
    expect(findUnheld(sentencesOf(words), tests)).toEqual([])
  })
  test.each(Object.entries(words))(
    'say nothing that is not marked as a claim or as none: %s',
    async (path, page) => {
      const { html } = await render(path, shown, links)
      expect(await findUnmarked(html, sentencesOf(page))).toEqual([])
    },
  )
  test('claim one thing at a time', () => {
    const texts = sentencesOf(words).map(({ says }) => says)
    expect(texts.filter(says => typeof says === 'string' && /[.?!] [A-Z]/.test(says))).toEqual([])
  })
  test('are put in names that say nothing by themselves', async () => {
    for (const path of Object.keys(words)) {
      const { html } = await render(path, shown, links)
      const names = [...html.matchAll(/<(h[1-6]|dt|th|summary)\b[^>]*>(.*?)<\/\1>/gs)].map(([, , name]) =>
        textOf(name!),
      )
      expect(
        names.filter(name => name.length > 45 || /[.!?:;]$/.test(name.trim())),
        path,
      ).toEqual([])
    }
  })
})

describe('a claim is refused', () => {
  const runs: WrittenTest = { title: 'a > holds', path: 'a.test.ts', off: null }
  const of = (heldBy: string) => [claim('It holds.', heldBy), note('Read on.')]
  test.each([
    ['whose test is unknown', 'a > never was', [runs], 'is the title of 0 tests'],
    ['whose test is switched off', 'a > holds', [{ ...runs, off: 'skip' }], 'is switched off (skip)'],
    ['whose title two tests have', 'a > holds', [runs, runs], 'is the title of 2 tests'],
  ])('%s', (_, heldBy, tests, why) => {
    expect(findUnheld(of(heldBy), tests)).toEqual([`"It holds.": "${heldBy}" ${why}`])
    expect(findUnheld(of('a > holds'), [runs])).toEqual([])
  })
  test('that stands on a page and not in its words', async () => {
    const page = (text: string) =>
      `<main id="content"><h1>Name</h1><p>It holds. Read <a href="/">on</a>.${text}</p></main>`
    const sentences = [
      claim('It holds.', 'a > holds'),
      note(createElement(Fragment, null, 'Read ', createElement('a', { href: '/' }, 'on'), '.')),
    ]
    expect(await findUnmarked(page(''), sentences)).toEqual([])
    expect(await findUnmarked(page(' It is unbreakable.'), sentences)).toEqual(['It is unbreakable.'])
  })
})

describe('the browser’s own storage', () => {
  /** Where something is kept, and what the privacy page says of it. */
  const kept: Readonly<Record<string, string>> = {
    'console/session/session-store.ts':
      'keeps your session while you are signed in, and whether it may outlive',
    'console/auth/pending-profile.ts': 'the details of a sign-up',
    'console/auth/sign-up-progress.ts': 'the address and the details of a sign-up',
    'console/auth/typed-email.ts': 'the address and the details of a sign-up',
    'console/instances/deploy/last/last-deploy.ts': 'what you chose at the last deploy',
    'console/instances/open-terminal.ts': 'which terminals belong to a tab, and the name of its instance',
    'console/instances/terminal/shells.ts': 'which terminals belong to a tab',
    'console/instances/terminal/terminal-settings.ts': 'the look of the terminal',
    'console/session/device-number.ts': 'a number that it made up, by which the service knows it again',
    'console/shell/acting.ts': 'which customer a tab acts as',
    'console/wallet/wallet.tsx': 'whether this service takes money of a test network',
    'site/islands/code-tabs.ts': 'the tool of examples that you chose',
    'ui/dismissed.ts': 'which announcements you put away',
    'ui/shortcuts.ts': 'the single-key shortcuts',
    'ui/theme.ts': 'the theme',
  }
  test('holds nothing that the privacy page does not name', async () => {
    const source = join(import.meta.dirname, '../..')
    const writers = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      path =>
        /(?<!\.test)\.tsx?$/.test(path) &&
        /(local|session)Storage|indexedDB|caches\.open/.test(readFileSync(join(source, path), 'utf8')) &&
        /setItem|put\(/.test(readFileSync(join(source, path), 'utf8')),
    )
    expect(writers.toSorted()).toEqual(Object.keys(kept).toSorted())
    const { html } = await render('/privacy', shown, links)
    for (const [path, words] of Object.entries(kept)) expect(textOf(html), path).toContain(words)
  })
})
