/** The host's mounts, with the flags that whoever mounts them again must keep. Read anew at each start. */
import { readFileSync } from 'node:fs'

export interface Mount {
  readonly path: string
  readonly flags: readonly string[]
}

export function hostMounts(): Mount[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .filter(fields => fields.length > 5)
    .map(fields => ({ path: unescape(fields[4]!), flags: fields[5]!.split(',') }))
}

/** The mount that a path lies on: the longest match, and among equals the one mounted last. */
export function mountOf(mounts: readonly Mount[], path: string): Mount {
  const holds = (mount: Mount) => path === mount.path || path.startsWith(mount.path.replace(/\/?$/, '/'))
  return mounts
    .filter(holds)
    .reduce((best, mount) => (mount.path.length >= best.path.length ? mount : best), { path: '', flags: [] })
}

export const mountsBelow = (mounts: readonly Mount[], path: string): Mount[] =>
  mounts.filter(mount => mount.path.startsWith(`${path}/`))

/** Space, tab, newline and backslash are written in octal. */
const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
