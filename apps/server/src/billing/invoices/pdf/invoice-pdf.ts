/** An invoice on paper: who to whom, what, how much, and the wallet over the month. The same invoice gives the same bytes. */
import type { Invoice, InvoiceLine } from '@ingot/contracts/invoices'
import {
  ink,
  line as hairline,
  margin,
  muted,
  openSheet,
  pageHeight,
  right,
  type Sheet,
  type Style,
} from './page.ts'

const tape = '#fde048'
const footer = pageHeight - 40
const lowest = footer - 24
const columns = { period: 268, hours: 388, price: 464, amount: right } as const
const rowHeight = 32
const label: Style = { size: 8, color: muted }

export async function invoicePdf(invoice: Invoice): Promise<Buffer> {
  const title = titleOf(invoice)
  const sheet = openSheet({
    title: `${title} ${invoice.number}`,
    author: invoice.seller.name || 'Ingot',
    at: new Date(invoice.issued_at),
  })
  let y = drawHead(sheet, invoice, title)
  y = drawTableHead(sheet, y)
  for (const each of invoice.lines) {
    if (y + rowHeight > lowest) y = drawTableHead(sheet, nextPage(sheet, invoice, title))
    drawLine(sheet, each, y)
    y += rowHeight
    sheet.rule(y - 13)
  }
  y = drawTotals(sheet, invoice, title, y)
  y = drawWallet(sheet, invoice, title, y)
  drawNote(sheet, invoice, title, y)
  drawFooters(sheet, invoice, title)
  return sheet.finish()
}

/** Without a seller it is no invoice in the eyes of the law. */
function titleOf({ kind, seller }: Invoice): string {
  if (kind === 'credit_note') return 'Credit note'
  return seller.name ? 'Invoice' : 'Statement'
}

function drawHead(sheet: Sheet, invoice: Invoice, title: string): number {
  const { seller, customer } = invoice
  sheet.text(title, margin, 76, { size: 24, weight: 600 })
  const number: Style = { size: 11, weight: 600 }
  sheet.doc.rect(margin, 88, sheet.widthOf(invoice.number, number) + 16, 20).fill(tape)
  sheet.text(invoice.number, margin + 8, 102, number)

  const column = 330
  let y = 68
  for (const [n, text] of [seller.name, ...seller.address, seller.tax_number].filter(Boolean).entries())
    for (const line of sheet.wrap(text, right - column, n === 0 ? { weight: 600 } : {})) {
      sheet.text(line, column, y, n === 0 ? { weight: 600 } : { color: muted })
      y += 13
    }
  const top = Math.max(144, y + 16)
  sheet.rule(top - 16)

  sheet.text('To', margin, top, label)
  let left = top + 15
  const name = customer.name || customer.email || 'A customer whose account is deleted'
  const to = [name, ...customer.address.split('\n'), customer.tax_number, customer.name ? customer.email : '']
  for (const [n, text] of to.filter(part => part.trim()).entries())
    for (const line of sheet.wrap(text, column - margin - 24, n === 0 ? { weight: 600 } : {})) {
      sheet.text(line, margin, left, n === 0 ? { weight: 600 } : {})
      left += 13
    }
  const facts = [
    ['Month', `${monthText(invoice.month)} (UTC)`],
    ['Written', dayText(invoice.issued_at)],
    ['Status', invoice.kind === 'invoice' ? 'Paid from the wallet' : 'Returned to the wallet'],
    ['Total', dollars(invoice.total, 2)],
  ] as const
  let facing = top
  for (const [what, says] of facts) {
    sheet.text(what, column, facing, label)
    sheet.text(says, column + 56, facing, what === 'Total' ? { weight: 600 } : {})
    facing += 15
  }
  return Math.max(left, facing) + 24
}

function drawTableHead(sheet: Sheet, y: number): number {
  sheet.text('What', margin, y, label)
  sheet.text('When (UTC)', columns.period, y, label)
  sheet.text('Hours', columns.hours, y, { ...label, isRight: true })
  sheet.text('Per hour', columns.price, y, { ...label, isRight: true })
  sheet.text('Amount', columns.amount, y, { ...label, isRight: true })
  sheet.rule(y + 7, ink)
  return y + 23
}

/** The words of a deploy name the cards already. */
function detailOf({ words, detail }: InvoiceLine): string | null {
  if (detail === null) return null
  const [cards, ...rest] = detail.split(', ')
  return words.endsWith(cards!) ? rest.join(', ') : detail
}

function drawLine(sheet: Sheet, line: InvoiceLine, y: number): void {
  const width = columns.period - margin - 12
  sheet.text(line.label, margin, y, { weight: 600, width })
  const about = [line.words, line.corrects && `charged on ${line.corrects}`, detailOf(line)]
    .filter(Boolean)
    .join(' · ')
  sheet.text(about, margin, y + 12, { ...label, width })
  sheet.text(periodText(line.from, line.to), columns.period, y, {
    width: columns.hours - columns.period - 36,
  })
  if (line.hours !== null) sheet.text(line.hours.toFixed(3), columns.hours, y, { isRight: true })
  if (line.price_per_hour !== null)
    sheet.text(dollars(line.price_per_hour, 6), columns.price, y, { isRight: true })
  sheet.text(dollars(line.amount, 6), columns.amount, y, { isRight: true })
}

function drawTotals(sheet: Sheet, invoice: Invoice, title: string, y: number): number {
  const rows: [string, string][] = [
    ['Sum of the lines', dollars(invoice.subtotal, 6)],
    ['Rounding', dollars(invoice.rounding, 6)],
  ]
  let at = room(sheet, invoice, title, y + 8, rows.length * 15 + 44)
  for (const [what, amount] of rows) {
    sheet.text(what, columns.period, at, { color: muted })
    sheet.text(amount, right, at, { isRight: true, color: muted })
    at += 15
  }
  sheet.doc
    .moveTo(columns.period, at - 6)
    .lineTo(right, at - 6)
    .lineWidth(0.75)
    .stroke(ink)
  at += 11
  sheet.text(
    invoice.kind === 'invoice' ? 'Total in US dollars' : 'Returned in US dollars',
    columns.period,
    at,
    { size: 12, weight: 600 },
  )
  sheet.text(dollars(invoice.total, 2), right, at, { size: 12, weight: 600, isRight: true })
  at += 15
  const { tax } = invoice
  if (tax) {
    sheet.text(`${tax.percent} % ${tax.name} in it`, columns.period, at, { color: muted })
    sheet.text(dollars(tax.amount, 2), right, at, { isRight: true, color: muted })
    at += 15
  }
  return at
}

function drawWallet(sheet: Sheet, invoice: Invoice, title: string, y: number): number {
  const { wallet } = invoice
  if (!wallet) return y
  const rows: [string, string][] = [
    ['At the end of the invoice before', dollars(wallet.opening, 6)],
    ['Paid in', dollars(wallet.paid_in, 6)],
    ['Charged, less what was returned', dollars(negative(wallet.charged), 6)],
    ...(Number(wallet.other)
      ? ([['Credits, and what was set aside or paid out', dollars(wallet.other, 6)]] as [string, string][])
      : []),
    ['At the end of the month', dollars(wallet.closing, 6)],
  ]
  let at = room(sheet, invoice, title, y + 22, rows.length * 14 + 20)
  sheet.text('Your wallet', margin, at, { weight: 600 })
  at += 16
  for (const [what, amount] of rows) {
    sheet.text(what, margin, at, { size: 8.5, color: muted })
    sheet.text(amount, columns.period - 24, at, { size: 8.5, isRight: true, color: muted })
    at += 14
  }
  return at
}

function drawNote(sheet: Sheet, invoice: Invoice, title: string, y: number): void {
  if (!invoice.seller.note) return
  const lines = sheet.wrap(invoice.seller.note, right - margin, label)
  let at = room(sheet, invoice, title, y + 16, lines.length * 12)
  for (const line of lines) {
    sheet.text(line, margin, at, label)
    at += 12
  }
}

/** Where something that high begins: here, or on a new page. */
const room = (sheet: Sheet, invoice: Invoice, title: string, y: number, height: number): number =>
  y + height > lowest ? nextPage(sheet, invoice, title) : y

function nextPage(sheet: Sheet, invoice: Invoice, title: string): number {
  sheet.doc.addPage()
  sheet.text(`${title} ${invoice.number}`, margin, 52, { weight: 600 })
  sheet.text(monthText(invoice.month), right, 52, { color: muted, isRight: true })
  return 88
}

function drawFooters(sheet: Sheet, invoice: Invoice, title: string): void {
  const { count } = sheet.doc.bufferedPageRange()
  for (let n = 0; n < count; n++) {
    sheet.doc.switchToPage(n)
    sheet.rule(footer - 14, hairline)
    const whose = [invoice.seller.name, `${title} ${invoice.number}`].filter(Boolean).join(' · ')
    sheet.text(whose, margin, footer, { ...label, width: right - margin - 90 })
    sheet.text(`Page ${n + 1} of ${count}`, right, footer, { ...label, isRight: true })
  }
}

/** `"12.340000"` with so many of its decimals, and marks between thousands. */
function dollars(amount: string, decimals: 2 | 6): string {
  const [, sign, whole, part] = /^(-?)(\d+)\.(\d{6})$/.exec(amount)!
  return `${sign ? '−' : ''}$${whole!.replace(/\B(?=(\d{3})+$)/g, ',')}.${part!.slice(0, decimals)}`
}
const negative = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : Number(amount) ? `-${amount}` : amount

const formatOf = (parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' })
const monthFormat = formatOf({ month: 'long', year: 'numeric' })
const dayFormat = formatOf({ day: 'numeric', month: 'short', year: 'numeric' })
const monthText = (month: string): string => monthFormat.format(new Date(`${month}-01`))
const dayText = (at: string | number): string => dayFormat.format(new Date(at))

/** By days. What ends at midnight ends on the day before. */
function periodText(from: string, to: string): string {
  const last = dayText(Math.max(Date.parse(from), Date.parse(to) - 1))
  const first = dayText(from)
  if (first === last) return first
  const isSameMonth = first.split(' ').slice(1).join() === last.split(' ').slice(1).join()
  return `${isSameMonth ? first.split(' ')[0] : first} – ${last}`
}
