/** The terminal's colours from the page's tokens, as they are now. A canvas turns any colour into its sRGB bytes. */
import type { ISearchOptions } from '@xterm/addon-search'
import type { ITheme } from '@xterm/xterm'

interface Colors {
  readonly theme: ITheme
  readonly matches: NonNullable<ISearchOptions['decorations']>
}

export function readColors(): Colors {
  const probe = document.createElement('span')
  probe.hidden = true
  document.body.append(probe)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const pen = canvas.getContext('2d', { willReadFrequently: true })!
  const token = (name: string): string => {
    probe.style.color = `var(--${name})`
    pen.fillStyle = getComputedStyle(probe).color
    pen.fillRect(0, 0, 1, 1)
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data
    return `#${[r, g, b].map(byte => byte!.toString(16).padStart(2, '0')).join('')}`
  }
  const colors = colorsOf(token)
  probe.remove()
  return colors
}

/** Part of the accent, so that the text under a selection stays in its own colour. */
const selectionAlpha = '59'

function colorsOf(token: (name: string) => string): Colors {
  const background = token('bg-sunken')
  const isDark = Number.parseInt(background.slice(1, 3), 16) < 128
  const [red, green, yellow, blue, magenta, cyan] = [
    'danger',
    'ok',
    'chart-4',
    'ansi-blue',
    'chart-3',
    'accent',
  ].map(token)
  return {
    theme: {
      background,
      foreground: token('text'),
      cursor: token('text'),
      cursorAccent: background,
      selectionBackground: token('accent') + selectionAlpha,
      scrollbarSliderBackground: token('line'),
      scrollbarSliderHoverBackground: token('line-strong'),
      scrollbarSliderActiveBackground: token('line-strong'),
      // Black is dark and white is light in both themes: programs put the one on the other.
      black: token(isDark ? 'bg' : 'text'),
      brightBlack: token('text-subtle'),
      white: token(isDark ? 'text-muted' : 'line'),
      brightWhite: token(isDark ? 'text' : 'bg-raised'),
      red,
      brightRed: red,
      green,
      brightGreen: green,
      yellow,
      brightYellow: yellow,
      blue,
      brightBlue: blue,
      magenta,
      brightMagenta: magenta,
      cyan,
      brightCyan: cyan,
    },
    matches: {
      matchBackground: token('bg-selected'),
      matchBorder: token('line-strong'),
      matchOverviewRuler: token('line-strong'),
      activeMatchBackground: token('tape'),
      activeMatchColorOverviewRuler: token('accent'),
    },
  }
}
