/** Hands a file of a stranger over to the disk. It is never shown here, and its type tells the browser nothing to run. */
export function saveFile({ name, base64 }: { readonly name: string; readonly base64: string }): void {
  const bytes = Uint8Array.from(atob(base64), each => each.charCodeAt(0))
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}
