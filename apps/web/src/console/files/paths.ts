/** Paths of a machine or a volume: absolute, with `/` between their parts. */
import { maxFilePath } from '@ingot/contracts/files'

/** Of one name, on the file systems that machines have. */
const maxNameBytes = 255

export const joined = (folder: string, name: string): string =>
  folder === '/' ? `/${name}` : `${folder}/${name}`

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Each folder on the way, the top first. */
export function crumbsOf(path: string): readonly { readonly name: string; readonly path: string }[] {
  const parts = path.split('/').filter(Boolean)
  return [
    { name: '/', path: '/' },
    ...parts.map((name, at) => ({ name, path: `/${parts.slice(0, at + 1).join('/')}` })),
  ]
}

/** A path from an address or a field: absolute, without idle parts. `..` stays, for the service to refuse. Null: it is none. */
export function readPath(text: string | undefined): string | null {
  if (!text?.startsWith('/') || text.length > maxFilePath || /\p{Cc}/u.test(text)) return null
  return `/${text
    .split('/')
    .filter(part => part && part !== '.')
    .join('/')}`
}

/** Why a file cannot have this name; null where it can. */
export function whyNotName(name: string): string | null {
  if (!name) return 'Enter a name'
  if (name === '.' || name === '..') return 'This name means a folder itself'
  if (name.includes('/')) return 'A name has no slash'
  if (/\p{Cc}/u.test(name)) return 'A name has no control characters'
  const bytes = new TextEncoder().encode(name).length
  return bytes > maxNameBytes ? `A name has at most ${maxNameBytes} bytes; this one has ${bytes}` : null
}

/** Written with U+FFFD where its bytes are no text: such a file cannot be named in a call. */
export const isNameable = (name: string): boolean => !name.includes('\uFFFD')
