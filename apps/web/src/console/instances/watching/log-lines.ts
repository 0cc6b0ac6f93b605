/** A log as it comes: lines of JSON, cut anywhere, with empty ones while nothing comes. */
import type { LogLine } from '@ingot/contracts/instance/watching'

/** On screen at most; the file has all. */
export const mostShown = 2_000

export function createLineReader(): (text: string) => LogLine[] {
  let rest = ''
  return text => {
    const parts = (rest + text).split('\n')
    rest = parts.pop()!
    return parts.filter(part => part.trim()).map(part => JSON.parse(part) as LogLine)
  }
}

/** What a program sends to a terminal for colours and the cursor says nothing on a page. */
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
export const plainText = (text: string): string => text.replace(escapes, '').replace(controls, '')
