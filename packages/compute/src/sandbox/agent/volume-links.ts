/** The machine's volume is also found in its workspace, by a link that replaces nothing. */
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs'

export interface VolumeLinks {
  readonly name: string | null
  /** Those that it had before. */
  readonly before: readonly string[]
}

const linkOf = (name: string) => `/workspace/${name}`
const targetOf = (name: string) => `/volumes/${name}`

export function linkVolumes({ name, before }: VolumeLinks): void {
  for (const each of before)
    attempt(() => {
      if (readlinkSync(linkOf(each)) === targetOf(each)) unlinkSync(linkOf(each))
    })
  if (name !== null) attempt(() => symlinkSync(targetOf(name), linkOf(name)))
}

/** The customer has put something else there, or has filled the disk. */
function attempt(act: () => void): void {
  try {
    act()
  } catch {
    // The volume is at its own place all the same.
  }
}
