/**
 * A QR code of a short text: version 3 (29 modules a side), error correction M, byte mode, so at most 42 bytes. A
 * deposit address has 34. One version has one layout, which is what keeps this small. Source: ISO/IEC 18004.
 */
const size = 29
const dataWords = 44
const checkWords = 26
export const maxBytes = 42

/** Dark modules, row by row. Throws RangeError on a text that is too long. */
export function encodeQr(text: string): boolean[][] {
  const bits = withCheck(dataBits(new TextEncoder().encode(text))).flatMap(word => toBits(word, 8))
  const candidates = masks.map((_, mask) => draw(bits, mask))
  return candidates.reduce((best, next) => (penalty(next) < penalty(best) ? next : best))
}

const toBits = (value: number, length: number): number[] =>
  Array.from({ length }, (_, i) => (value >> (length - 1 - i)) & 1)

/** Mode, length, bytes, end mark, then the two filling words in turn. */
function dataBits(bytes: Uint8Array): number[] {
  if (bytes.length > maxBytes) throw new RangeError(`a QR code of this size holds ${maxBytes} bytes`)
  const bits = [
    ...toBits(4, 4),
    ...toBits(bytes.length, 8),
    ...[...bytes].flatMap(b => toBits(b, 8)),
    0,
    0,
    0,
    0,
  ]
  const words = Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((word, bit) => word * 2 + bit, 0),
  )
  for (let i = 0; words.length < dataWords; i++) words.push(i % 2 === 0 ? 0xec : 0x11)
  return words
}

const exp: number[] = []
const log: number[] = []
for (let i = 0, x = 1; i < 255; i++) {
  exp[i] = x
  log[x] = i
  x = x & 0x80 ? (x << 1) ^ 0x11d : x << 1
}
const times = (a: number, b: number): number => (a && b ? exp[(log[a]! + log[b]!) % 255]! : 0)

/** Reed–Solomon: the remainder of the data divided by (x − α⁰)(x − α¹)… */
function withCheck(words: readonly number[]): number[] {
  let generator = [1]
  for (let i = 0; i < checkWords; i++) {
    const next = [...generator, 0]
    for (const [j, factor] of generator.entries()) next[j + 1]! ^= times(factor, exp[i]!)
    generator = next
  }
  const rest = [...words, ...Array<number>(checkWords).fill(0)]
  for (let i = 0; i < words.length; i++) {
    const lead = rest[i]!
    for (const [j, factor] of generator.entries()) rest[i + j]! ^= times(factor, lead)
  }
  return [...words, ...rest.slice(words.length)]
}

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  r => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
]

function draw(bits: readonly number[], mask: number): boolean[][] {
  const cells = Array.from({ length: size }, () => Array<boolean | null>(size).fill(null))
  const set = (row: number, column: number, dark: boolean) => {
    if (row >= 0 && row < size && column >= 0 && column < size) cells[row]![column] = dark
  }
  const square = (row: number, column: number, half: number, isDark: (ring: number) => boolean) => {
    for (let r = -half; r <= half; r++)
      for (let c = -half; c <= half; c++) set(row + r, column + c, isDark(Math.max(Math.abs(r), Math.abs(c))))
  }
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    square(row, column, 4, ring => ring !== 2 && ring !== 4)
  square(22, 22, 2, ring => ring !== 1)
  drawFormat(set, mask)

  let next = 0
  for (const [row, column] of zigzag()) {
    if (cells[row]![column] !== null) continue
    // Seven bits are left over; they count as light.
    cells[row]![column] = ((bits[next++] ?? 0) === 1) !== masks[mask]!(row, column)
  }
  return cells as boolean[][]
}

/** Level M (00) and the mask, with their own check bits, twice. */
function drawFormat(set: (row: number, column: number, dark: boolean) => void, mask: number): void {
  let check = mask
  for (let i = 0; i < 10; i++) check = (check << 1) ^ ((check >> 9) * 0x537)
  const format = ((mask << 10) | check) ^ 0x5412
  const dark = (i: number) => ((format >> i) & 1) === 1
  for (let i = 0; i < 6; i++) set(i, 8, dark(i))
  set(7, 8, dark(6))
  set(8, 8, dark(7))
  set(8, 7, dark(8))
  for (let i = 9; i < 15; i++) set(8, 14 - i, dark(i))
  for (let i = 0; i < 8; i++) set(8, size - 1 - i, dark(i))
  for (let i = 8; i < 15; i++) set(size - 15 + i, 8, dark(i))
  set(size - 8, 8, true)
}

/** Two columns at a time from the right, up and down in turn; the column of the timing pattern is skipped. */
function* zigzag(): Generator<readonly [row: number, column: number]> {
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5
    for (let i = 0; i < size; i++) {
      const row = up ? size - 1 - i : i
      yield [row, right]
      yield [row, right - 1]
    }
  }
}

/** What makes a code hard to read: long runs, blocks, patterns like a corner's, too much of one colour. */
function penalty(cells: readonly (readonly boolean[])[]): number {
  const lines = [...cells, ...cells.map((_, i) => cells.map(row => row[i]!))]
  let points = 0
  for (const line of lines) {
    const text = line.map(dark => (dark ? '1' : '0')).join('')
    for (const run of text.match(/1{5,}|0{5,}/g) ?? []) points += run.length - 2
    for (const corner of ['10111010000', '00001011101'])
      for (let at = text.indexOf(corner); at >= 0; at = text.indexOf(corner, at + 1)) points += 40
  }
  for (let r = 1; r < size; r++)
    for (let c = 1; c < size; c++) {
      const dark = cells[r]![c]
      if (dark === cells[r - 1]![c] && dark === cells[r]![c - 1] && dark === cells[r - 1]![c - 1]) points += 3
    }
  const share = (cells.flat().filter(Boolean).length * 100) / size ** 2
  return points + Math.floor(Math.abs(share - 50) / 5) * 10
}
