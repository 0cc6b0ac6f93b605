import { download } from '../shell/download.ts'

/** Hands a file of a stranger over to the disk. It is never shown here, and its type tells the browser nothing to run. */
export const saveFile = ({ name, base64 }: { readonly name: string; readonly base64: string }): void =>
  download(
    name,
    Uint8Array.from(atob(base64), each => each.charCodeAt(0)),
    'application/octet-stream',
  )
