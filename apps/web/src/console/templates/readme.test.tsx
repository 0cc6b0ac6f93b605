import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Readme } from './Readme.tsx'

const html = (text: string) => renderToStaticMarkup(<Readme text={text} />)

it('shows Markdown', () => {
  const shown = html(
    '# Title\n\nA *b* **c** `d`\n\n1. one\n2. two\n\n```\ncode <b>\n```\n\n[us](https://example.com)',
  )
  expect(shown).toMatch(/<h4[^>]*>Title</)
  expect(shown).toContain('<em>b</em>')
  expect(shown).toContain('code &lt;b&gt;')
  expect(shown).toMatch(/<a href="https:\/\/example\.com" target="_blank" rel="noreferrer nofollow ugc"/)
})

it('holds nothing that runs or is fetched', () => {
  const shown = html(
    [
      '<script>alert(1)</script>',
      '',
      'a <img src=x onerror=alert(1)> ![alt](https://spy.example/x.png) [x](javascript:alert(1)) [y][d] <javascript:alert(2)>',
      '',
      '[d]: data:text/html,x',
    ].join('\n'),
  )
  expect(shown).not.toMatch(/<script|<img|href="(javascript|data)|src="/)
  expect(shown).toContain('&lt;script&gt;')
  expect(shown).toContain('alt')
})

it('takes its time for nothing, however deep or long it is', () => {
  const before = performance.now()
  for (const text of [
    '>'.repeat(20_000),
    '- '.repeat(10_000),
    '*a'.repeat(10_000),
    '['.repeat(20_000),
    '`'.repeat(20_000),
    `${'*a'.repeat(500)}\n\n`.repeat(19),
    `${'>'.repeat(900)}\n\n`.repeat(22),
  ])
    html(text)
  expect(performance.now() - before).toBeLessThan(6_000)
})
