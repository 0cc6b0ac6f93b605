/**
 * The bytes of a CV tell what kind of file it is; the name must agree, because the name decides how a downloaded file
 * opens. Archives are never unpacked: their list of names is read.
 */
import { cvTypes, cvWrongType } from '@ingot/contracts/site'
import { IngotError } from '@ingot/contracts/errors'

type CvKind = keyof typeof cvTypes

export interface Cv {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

const extensions: Record<CvKind, readonly string[]> = {
  pdf: ['pdf'],
  docx: ['docx'],
  odt: ['odt'],
  txt: ['txt', 'text', 'md'],
}

export function readCv(name: string, bytes: Buffer): Cv {
  const kind = kindOf(bytes)
  const extension = /\.([^.]+)$/.exec(name.trim())?.[1]?.toLowerCase() ?? ''
  if (!kind || !extensions[kind].includes(extension))
    throw new IngotError('validation_failed', { fields: { cv: cvWrongType } })
  return { name: name.trim(), type: cvTypes[kind], bytes }
}

function kindOf(bytes: Buffer): CvKind | null {
  if (bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) return 'pdf'
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return kindOfArchive(bytes)
  return isText(bytes) ? 'txt' : null
}

function isText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // oxlint-disable-next-line no-control-regex
    return text.trim() !== '' && !/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(text)
  } catch {
    return false
  }
}

function kindOfArchive(bytes: Buffer): CvKind | null {
  const names = namesIn(bytes)
  // A document with macros is a kind of its own, whatever its name says.
  if (names.some(name => /(^|\/)vbaProject\.bin$/i.test(name))) return null
  if (names.includes('[Content_Types].xml') && names.includes('word/document.xml')) return 'docx'
  return names.includes('content.xml') && firstEntryIs(bytes, 'mimetype', cvTypes.odt) ? 'odt' : null
}

/** An OpenDocument file begins with an entry that is not compressed and says what it is. */
function firstEntryIs(bytes: Buffer, name: string, content: string): boolean {
  const start = 30 + name.length + bytes.readUInt16LE(28)
  return (
    bytes.readUInt16LE(26) === name.length &&
    bytes.subarray(30, 30 + name.length).equals(Buffer.from(name)) &&
    bytes.subarray(start, start + content.length).equals(Buffer.from(content))
  )
}

const endRecordBytes = 22
const longestComment = 0xffff
const entryBytes = 46
const mostEntries = 10_000

/** The names in a ZIP archive's directory; none when it has no sound one. */
function namesIn(bytes: Buffer): string[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  if (end < bytes.length - endRecordBytes - longestComment || end < 0 || end + endRecordBytes > bytes.length)
    return []
  const count = Math.min(bytes.readUInt16LE(end + 10), mostEntries)
  const names: string[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let n = 0; n < count; n++) {
    if (at + entryBytes > end || bytes.readUInt32LE(at) !== 0x02014b50) return []
    const [name, extra, comment] = [28, 30, 32].map(offset => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    names.push(bytes.toString('utf8', at + entryBytes, at + entryBytes + name))
    at += entryBytes + name + extra + comment
  }
  return names
}
