import { encodeQr } from './qr.ts'

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

const quietZone = 4

/** Dark on light in both themes: many readers do not know the reverse. */
export function QrCode({ text, label }: QrCodeProps) {
  const rows = encodeQr(text)
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quietZone} ${y + quietZone}h1v1h-1z` : '')))
    .join('')
  const side = rows.length + 2 * quietZone
  return (
    <svg
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      data-theme="light"
      className="size-full rounded-control bg-raised text-ink forced-color-adjust-none"
    >
      <path d={path} fill="currentColor" />
    </svg>
  )
}
