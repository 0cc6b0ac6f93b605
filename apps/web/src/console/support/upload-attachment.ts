import { attachmentWrongType, type Attachment, maxAttachmentBytes } from '@ingot/contracts/support'
import { api } from '../shell/api.ts'

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('')

/** Why it can't be attached, before anything is sent; the service looks at the bytes themselves. */
export function whyNotAttached(file: File): string | null {
  if (file.size > maxAttachmentBytes)
    return `${file.name} is larger than ${maxAttachmentBytes / 1024 ** 2} MB.`
  if (file.size === 0) return `${file.name} is empty.`
  return /^(image\/(png|jpeg|gif|webp)|text\/.*|application\/(json|x-ndjson)|)$/.test(file.type)
    ? null
    : `${file.name}: ${attachmentWrongType}.`
}

export async function uploadAttachment(file: File): Promise<Attachment> {
  const bytes = await file.arrayBuffer()
  const sha256 = hex(await crypto.subtle.digest('SHA-256', bytes))
  return api.support.attach(
    { name: file.name.replaceAll(/[/\\\p{Cc}]/gu, '_'), sha256 },
    { body: new Blob([bytes]) },
  )
}
