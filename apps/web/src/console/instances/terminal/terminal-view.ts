/**
 * The emulator on the page: xterm with its parts, the page's colours and the keys that are ours. It knows nothing of
 * sockets. It draws to the DOM, which is read aloud and copied from like any text.
 */
import '@xterm/xterm/css/xterm.css'
import { Base64, ClipboardAddon } from '@xterm/addon-clipboard'
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { Unicode11Addon } from '@xterm/addon-unicode11'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import { onThemeChange } from '../../../ui/theme.ts'
import type { TerminalSize } from './terminal-client.ts'
import { folderOfShell } from './shell-folder.ts'
import { readColors } from './terminal-theme.ts'

export interface ViewOptions {
  readonly label: string
  readonly fontSize: number
  readonly screenReader: boolean
  readonly onInput: (data: string | Uint8Array) => void
  readonly onResize: (size: TerminalSize) => void
  /** Ctrl+Shift+Esc, and Ctrl+F6 where the system keeps that for itself: the keyboard goes back to the page. */
  readonly onLeave: () => void
  readonly onFind: () => void
  /** Ctrl+Shift and an arrow: another shell of the window. */
  readonly onSwitch: (by: 1 | -1) => void
  readonly onMatches: (found: { readonly index: number; readonly count: number }) => void
}

export type TerminalView = Awaited<ReturnType<typeof createTerminalView>>

const scrollback = 1000
const fitAfterMs = 80
const fontWithinMs = 1000
const leastContrast = 4.5
const wipe = '\u001Bc'
const arrow = '\u001B['
const applicationArrow = '\u001BO'

/** Opens a link that a program printed, without telling it where it came from. Only the web's own addresses. */
const openLink = (_event: MouseEvent, uri: string): void => {
  if (/^https?:/.test(uri)) window.open(uri, '_blank', 'noopener,noreferrer')
}

export async function createTerminalView(container: HTMLElement, options: ViewOptions) {
  const { fontFamily } = getComputedStyle(container)
  // Cells are measured once, with the font that is there: the right one is waited for, but not for long.
  await Promise.race([
    document.fonts.load(`${options.fontSize}px ${fontFamily}`).catch(() => []),
    new Promise(resolve => setTimeout(resolve, fontWithinMs)),
  ])
  const term = new Terminal({
    allowProposedApi: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    fontFamily,
    fontSize: options.fontSize,
    lineHeight: 1.2,
    scrollback,
    minimumContrastRatio: leastContrast,
    screenReaderMode: options.screenReader,
    theme: readColors().theme,
    linkHandler: { activate: openLink },
  })
  const fit = new FitAddon()
  const search = new SearchAddon()
  term.loadAddon(fit)
  term.loadAddon(search)
  term.loadAddon(new Unicode11Addon())
  term.unicode.activeVersion = '11'
  term.loadAddon(new WebLinksAddon(openLink))
  // A program may fill the clipboard; what is in it is none of the machine's business.
  term.loadAddon(
    new ClipboardAddon(new Base64(), {
      readText: () => '',
      writeText: (_kind, text) => navigator.clipboard?.writeText(text),
    }),
  )
  term.open(container)
  term.textarea?.setAttribute('aria-label', options.label)
  term.attachCustomKeyEventHandler(event => keyFor(event))

  /** False: the terminal leaves the key alone. */
  function keyFor(event: KeyboardEvent): boolean {
    const key = event.key.toLowerCase()
    const ours = event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey
    const isLeave = (ours && key === 'escape') || (event.ctrlKey && key === 'f6')
    const by = ours ? { arrowleft: -1 as const, arrowright: 1 as const }[key] : undefined
    if (!isLeave && !by && !(ours && /^[cvf]$/.test(key))) return true
    // The browser pastes by itself: as plain text, into the terminal's own field.
    if (key === 'v') return false
    event.preventDefault()
    if (event.type !== 'keydown') return false
    if (by) options.onSwitch(by)
    else if (isLeave) options.onLeave()
    else if (key === 'c') void navigator.clipboard?.writeText(term.getSelection())
    else options.onFind()
    return false
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const refit = () => {
    clearTimeout(timer)
    timer = setTimeout(() => container.clientHeight > 0 && fit.fit(), fitAfterMs)
  }
  const watched = new ResizeObserver(refit)
  watched.observe(container)
  fit.fit()

  const recolor = () => void (term.options.theme = readColors().theme)
  const forget = onThemeChange(recolor)
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', recolor)

  let folder: string | null = null
  term.parser.registerOscHandler(7, text => {
    folder = folderOfShell(text)
    return true
  })

  term.onData(options.onInput)
  term.onBinary(data => options.onInput(Uint8Array.from(data, each => each.charCodeAt(0))))
  term.onResize(options.onResize)
  search.onDidChangeResults(({ resultIndex, resultCount }) =>
    options.onMatches({ index: resultIndex, count: resultCount }),
  )

  return {
    size: (): TerminalSize => ({ cols: term.cols, rows: term.rows }),
    draw: (bytes: Uint8Array, drawn: () => void) => term.write(bytes, drawn),
    /** In turn with what is still being drawn. */
    clear: () => term.write(wipe),
    focus: () => term.focus(),
    /** Where the shell is, where it says so. */
    folder: () => folder,
    /** As if typed. An arrow is what the running program has asked arrows to be. */
    press(keys: string) {
      const isArrow = keys.startsWith(arrow) && keys.length === arrow.length + 1
      term.input(isArrow && term.modes.applicationCursorKeysMode ? applicationArrow + keys.at(-1) : keys)
    },
    find(text: string, direction: 'next' | 'previous', incremental = false) {
      const found = { decorations: readColors().matches, incremental }
      if (direction === 'next') search.findNext(text, found)
      else search.findPrevious(text, found)
    },
    endFind: () => search.clearDecorations(),
    setFontSize(size: number) {
      term.options.fontSize = size
      refit()
    },
    setScreenReader: (on: boolean) => void (term.options.screenReaderMode = on),
    refit,
    dispose() {
      clearTimeout(timer)
      watched.disconnect()
      forget()
      system.removeEventListener('change', recolor)
      term.dispose()
    },
  }
}
