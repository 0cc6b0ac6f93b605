/** As this keyboard names what opens the palette. */
export const paletteKeys = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'
