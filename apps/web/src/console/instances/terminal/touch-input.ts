/** Ctrl of the row of keys for touch: it waits for the next key and makes a control character of it. */

/** `c` → `\x03`; anything that has no control character stays as it is. */
export function withCtrl(data: string): string {
  const key = data.toUpperCase()
  return /^[@-_]$/.test(key) ? String.fromCharCode(key.charCodeAt(0) & 0x1f) : data
}
