/** How this browser shows terminals: kept here, the same for every instance. */
const key = 'terminal-settings'

export interface TerminalSettings {
  readonly fontSize: number
  readonly screenReader: boolean
}

export const fontSizes = { smallest: 10, normal: 14, largest: 24 } as const

export const clampFontSize = (size: number): number =>
  Math.min(fontSizes.largest, Math.max(fontSizes.smallest, Math.round(size)))

export function readSettings(): TerminalSettings {
  try {
    const { fontSize, screenReader } = JSON.parse(
      localStorage.getItem(key) ?? '{}',
    ) as Partial<TerminalSettings>
    return {
      fontSize: typeof fontSize === 'number' ? clampFontSize(fontSize) : fontSizes.normal,
      screenReader: screenReader === true,
    }
  } catch {
    return { fontSize: fontSizes.normal, screenReader: false }
  }
}

export function keepSettings(settings: TerminalSettings): void {
  try {
    localStorage.setItem(key, JSON.stringify(settings))
  } catch {
    // Storage is refused: they last for this page.
  }
}
