/**
 * What a machine sees: the host's programs read-only, an `/etc` of its own, folders of the customer's, and nothing
 * else of the host. Both designs are made from this one description, so they can't show different things.
 *
 * Everything writable is the customer's and untrusted. The root itself is read-only: what is written beside the
 * customer's folders fails at once instead of vanishing at the next start.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { volumesFolder } from '../volume-mount.ts'

export interface Bind {
  readonly source: string
  readonly path: string
}

/** What a start mounts of a volume. */
export interface GivenVolume extends Bind {
  readonly readOnly: boolean
}

export interface MachineView {
  readonly hostname: string
  readonly links: readonly { readonly path: string; readonly target: string }[]
  readonly readOnly: readonly Bind[]
  /** Folders among those that are shown empty. */
  readonly hidden: readonly string[]
  readonly writable: readonly Bind[]
  /** Device nodes beside those that every machine has. */
  readonly devices: readonly Bind[]
  /** Empty, in memory, gone at stop. */
  readonly scratch: readonly string[]
}

/** Where the keeper and everything it needs are seen inside. */
export const runtimePath = '/run/ingot/runtime'
/** Where a machine finds what it is told about itself. */
export const machinePath = '/run/ingot/machine'
const node = [
  `${runtimePath}/node`,
  // Its threads and its memory count against the machine's limits.
  '--v8-pool-size=1',
  '--max-semi-space-size=4',
]
export const keeperCommand = [...node, `${runtimePath}/keeper.cjs`]
/** For a machine that is stopped. */
export const clerkCommand = [...node, `${runtimePath}/clerk.cjs`]

/** The customer's folders: they live as long as the machine. `/tmp` is emptied at each start. */
export const diskFolders = {
  root: 0o700,
  workspace: 0o755,
  home: 0o755,
  opt: 0o755,
  srv: 0o755,
  var: 0o755,
  tmp: 0o1777,
} as const

/** Parts of the host's `/etc` that programs need and that hold no secret. */
export const hostEtcFolders = [
  'alternatives',
  'ca-certificates',
  'fonts',
  'perl',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'python3',
  'ssl/certs',
  'terminfo',
  'vim',
]

const systemFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
const otherFolders = ['/nix/store', '/sys/devices/system/cpu', '/sys/devices/system/node']

/** Where an operator keeps settings, sources and data of what he has installed by hand. */
const operatorFolders = ['/usr/local/etc', '/usr/local/src', '/usr/local/var', '/usr/src']

/** The host's programs alone: enough to try whether a design works here. */
export function hostView(hostname: string): MachineView {
  const links: { path: string; target: string }[] = []
  const readOnly: Bind[] = [bindSame('/usr')]
  for (const name of systemFolders) {
    const path = `/${name}`
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) })
    else if (stat?.isDirectory()) readOnly.push(bindSame(path))
  }
  readOnly.push(...otherFolders.filter(path => existsSync(path)).map(bindSame))
  const hidden = operatorFolders.filter(path => lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
  return { hostname, links, readOnly, hidden, writable: [], devices: [], scratch: ['/run'] }
}

export function machineView(
  hostname: string,
  folder: string,
  runtime: string,
  devices: readonly Bind[] = [],
  volume: GivenVolume | null = null,
): MachineView {
  const view = hostView(hostname)
  const isBoth = (name: string) => existsSync(join(runtime, 'etc', name)) && existsSync(join('/etc', name))
  const hostEtc = hostEtcFolders.filter(isBoth)
  return {
    ...view,
    readOnly: [
      ...view.readOnly,
      { source: join(runtime, 'etc'), path: '/etc' },
      ...hostEtc.map(name => bindSame(`/etc/${name}`)),
      { source: runtime, path: runtimePath },
      { source: join(folder, 'inside'), path: machinePath },
      // One that an older version made gets its own at its next start.
      ...[{ source: join(folder, 'volumes'), path: volumesFolder }].filter(({ source }) =>
        existsSync(source),
      ),
      ...(volume?.readOnly ? [volume] : []),
    ],
    writable: [
      ...Object.keys(diskFolders).map(name => ({ source: join(folder, 'disk', name), path: `/${name}` })),
      ...(volume && !volume.readOnly ? [volume] : []),
    ],
    devices,
  }
}

function bindSame(path: string): Bind {
  return { source: path, path }
}
