import { readPath } from '../../files/paths.ts'

/** From what shells say at each prompt (OSC 7): an address of the folder on their machine. Null: it is none. */
export function folderOfShell(text: string): string | null {
  try {
    const { protocol, pathname } = new URL(text)
    return protocol === 'file:' ? readPath(decodeURIComponent(pathname)) : null
  } catch {
    return null
  }
}
