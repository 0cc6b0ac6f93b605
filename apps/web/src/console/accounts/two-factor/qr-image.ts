/** The service draws the code as SVG; as an image's address it has to be escaped. */
const prefix = 'data:image/svg+xml;utf-8,'

export const qrImage = (drawn: string): string =>
  `data:image/svg+xml,${encodeURIComponent(drawn.startsWith(prefix) ? drawn.slice(prefix.length) : drawn)}`
