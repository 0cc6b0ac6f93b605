/**
 * The images that show when a page is shared: its title, one word of it on label tape, on the colour of the racks. Each
 * is kept by the hash of what it is made from, so a build draws only those whose title changed.
 */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { Resvg } from '@resvg/resvg-js'
import satori from 'satori'

interface Card {
  readonly file: string
  readonly title: string
}

const size = { width: 1200, height: 630 }
/** tokens.css, dark: page, text, muted text, tape, and what stands on tape. */
const colors = { page: '#1e2327', text: '#f0f2f3', muted: '#b9bfc2', tape: '#fde048', ink: '#0f1820' }
const require = createRequire(import.meta.url)
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/ingot-share-images')

export async function shareImages(dist: string, cards: readonly Card[]): Promise<void> {
  await mkdir(cache, { recursive: true })
  const design = await readFile(import.meta.filename)
  let fonts: Awaited<ReturnType<typeof loadFonts>> | undefined
  for (const { file, title } of cards) {
    const key = createHash('sha256').update(design).update(title).digest('hex').slice(0, 32)
    const kept = join(cache, `${key}.png`)
    const to = join(dist, file)
    await mkdir(dirname(to), { recursive: true })
    if (
      await copyFile(kept, to).then(
        () => true,
        () => false,
      )
    )
      continue
    fonts ??= await loadFonts()
    const image = await draw(title, fonts)
    await writeFile(kept, image)
    await writeFile(to, image)
  }
}

const loadFonts = () =>
  Promise.all(
    ([500, 700] as const).map(async weight => ({
      name: 'Mona Sans',
      weight,
      style: 'normal' as const,
      data: await readFile(
        require.resolve(`@fontsource/mona-sans/files/mona-sans-latin-${weight}-normal.woff`),
      ),
    })),
  )

async function draw(title: string, fonts: Awaited<ReturnType<typeof loadFonts>>): Promise<Uint8Array> {
  const svg = await satori(layout(title) as never, { ...size, fonts })
  return new Resvg(svg).render().asPng()
}

/** An element as satori reads it. */
const box = (style: object, children: unknown) => ({ type: 'div', props: { style, children } })

/** The last word stands on the tape; words are boxes, so that the tape wraps with them. */
function layout(title: string) {
  const words = title.split(' ')
  const fontSize = title.length > 48 ? 76 : title.length > 24 ? 96 : 116
  const word = (text: string, last: boolean) =>
    box(
      last
        ? { backgroundColor: colors.tape, color: colors.ink, padding: '0 20px' }
        : { marginRight: fontSize * 0.26 },
      text,
    )
  return box(
    {
      display: 'flex',
      flexDirection: 'column',
      justifyContent: 'space-between',
      ...size,
      boxSizing: 'border-box',
      padding: 72,
      backgroundColor: colors.page,
      color: colors.text,
      fontFamily: 'Mona Sans',
    },
    [
      box(
        { display: 'flex', flexWrap: 'wrap', fontSize, fontWeight: 700, lineHeight: 1.2, letterSpacing: -2 },
        words.map((text, n) => word(text, n === words.length - 1)),
      ),
      box(
        { display: 'flex', fontSize: 34, fontWeight: 500, color: colors.muted },
        'Ingot · GPU instances by the second',
      ),
    ],
  )
}
