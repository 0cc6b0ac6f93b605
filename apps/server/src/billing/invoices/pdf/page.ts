/** Text, lines and boxes on the pages of a PDF: what the layout is written in. Points, from the top left corner. */
import Document from 'pdfkit'
import { allFaces, openFont, runsOf, type Weight } from './fonts.ts'

export const [pageWidth, pageHeight, margin] = [595.28, 841.89, 48] as const
export const right = pageWidth - margin

export interface Style {
  readonly size?: number
  readonly weight?: Weight
  readonly color?: string
  /** From `x` to the left. */
  readonly isRight?: boolean
  /** What does not fit is cut, and says so. */
  readonly width?: number
}

export const ink = '#161d22'
export const muted = '#5e686e'
export const line = '#d8dcdf'
const boxWidth = 0.62
const ellipsis = '…'

export interface Sheet {
  readonly doc: PDFKit.PDFDocument
  text(text: string, x: number, y: number, style?: Style): void
  /** The lines that a text has in this width. */
  wrap(text: string, width: number, style?: Style): string[]
  widthOf(text: string, style?: Style): number
  rule(y: number, color?: string): void
  finish(): Promise<Buffer>
}

/** The same input gives the same bytes: nothing in the file says when or where it was made. */
export function openSheet(info: {
  readonly title: string
  readonly author: string
  readonly at: Date
}): Sheet {
  const doc = new Document({
    size: [pageWidth, pageHeight],
    margin: 0,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: info.title,
      Author: info.author,
      Creator: 'Ingot',
      Producer: 'Ingot',
      CreationDate: info.at,
      ModDate: info.at,
    },
  })
  for (const face of allFaces) {
    // It takes a font that is open as well; its types know files alone.
    doc.registerFont(face.name, openFont(face) as unknown as Buffer)
  }
  const chunks: Buffer[] = []
  doc.on('data', (chunk: Buffer) => chunks.push(chunk))

  const runWidth = (font: string | null, text: string, size: number) =>
    font === null ? text.length * size * boxWidth : doc.font(font, size).widthOfString(text)
  const widthOf = (text: string, { size = 9, weight = 400 }: Style = {}) =>
    runsOf(text, weight).reduce((sum, run) => sum + runWidth(run.font, run.text, size), 0)

  function fitted(text: string, style: Style): string {
    if (style.width === undefined || widthOf(text, style) <= style.width) return text
    const chars = [...text]
    let [low, high] = [0, chars.length]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (widthOf(chars.slice(0, middle).join('') + ellipsis, style) <= style.width) low = middle
      else high = middle - 1
    }
    return chars.slice(0, low).join('').trimEnd() + ellipsis
  }

  function put(given: string, x: number, y: number, style: Style = {}): void {
    const { size = 9, weight = 400, color = ink, isRight = false } = style
    const text = fitted(given, style)
    let at = isRight ? x - widthOf(text, style) : x
    for (const run of runsOf(text, weight)) {
      const width = runWidth(run.font, run.text, size)
      if (run.font === null) drawBoxes(run.text.length, at, y, size, color)
      else
        doc
          .font(run.font, size)
          .fillColor(color)
          .text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic' })
      at += width
    }
  }

  function drawBoxes(count: number, x: number, y: number, size: number, color: string): void {
    for (let n = 0; n < count; n++)
      doc
        .rect(x + (n * boxWidth + 0.08) * size, y - 0.68 * size, (boxWidth - 0.16) * size, 0.68 * size)
        .lineWidth(0.5)
        .stroke(color)
  }

  function wrap(text: string, width: number, style: Style = {}): string[] {
    const lines: string[] = []
    let line = ''
    for (const word of text.split(/\s+/).filter(Boolean)) {
      let rest = word
      if (line && widthOf(`${line} ${word}`, style) <= width) {
        line += ` ${word}`
        continue
      }
      if (line) lines.push(line)
      // A word that is longer than a line is cut.
      while (widthOf(rest, style) > width) {
        const chars = [...rest]
        let count = chars.length - 1
        while (count > 1 && widthOf(chars.slice(0, count).join(''), style) > width) count--
        lines.push(chars.slice(0, count).join(''))
        rest = chars.slice(count).join('')
      }
      line = rest
    }
    return line ? [...lines, line] : lines
  }

  return {
    doc,
    text: put,
    wrap,
    widthOf,
    rule: (y, color = line) => void doc.moveTo(margin, y).lineTo(right, y).lineWidth(0.75).stroke(color),
    finish: () =>
      new Promise((resolve, reject) => {
        doc.on('end', () => resolve(Buffer.concat(chunks)))
        doc.on('error', reject)
        doc.end()
      }),
  }
}
