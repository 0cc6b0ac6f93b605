/**
 * Design B: a machine made with nothing but what every Linux has. Its first process builds the root out of mounts, moves
 * into it, forbids new user namespaces, gives up every capability and starts the keeper. Where perl is there, and it
 * nearly always is, one program does all of it (`launcher.pl`), and the machine runs under the same system call filter
 * as in design A. Else it is a short script for a shell and the tools of util-linux, which takes some 40 ms more.
 *
 * All mounts but the first come from one table, for both.
 */
import { hostMounts, type Mount, mountOf, mountsBelow } from './host-mounts.ts'
import { keeperFailed } from '../machine-run.ts'
import { type MachineView, runtimePath } from '../machine-view.ts'

export const unshareCommand = [
  ['unshare', '--user', '--map-root-user'],
  ['--net', '--pid', '--ipc', '--uts', '--cgroup', '--mount'],
  // When the launcher is killed, so is the machine.
  ['--fork', '--kill-child=KILL'],
].flat()

/** `prctl`, which loads a filter. */
const prctl: Partial<Record<NodeJS.Architecture, number>> = { x64: 157, arm64: 167 }
const filterCommand = [
  'perl',
  `${runtimePath}/load-filter.pl`,
  String(prctl[process.arch]),
  `${runtimePath}/seccomp.bpf`,
]

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const deviceLinks = [
  ['pts/ptmx', 'ptmx'],
  ['/proc/self/fd', 'fd'],
  ['/proc/self/fd/0', 'stdin'],
  ['/proc/self/fd/1', 'stdout'],
  ['/proc/self/fd/2', 'stderr'],
] as const

/** Brings the loopback up where no `ip` is installed. */
const loopbackByPerl = `perl -e 'my $r=pack("a16sx22","lo",0x41);socket(S,2,2,0) and ioctl(S,0x8914,$r)'`
/**
 * The shell stays as the first process, because somebody has to collect orphans; it lets go of the listening socket
 * and of our ear, and ends when the keeper does, in a way of its own.
 */
const firstProcess = `"$@" & exec 3>&- 2> /dev/null; wait $! || exit ${keeperFailed}`

/** The script for `sh -c`. Until it has moved it sees all of the host, so it stops at the first thing that fails. */
export function initScript(
  view: MachineView,
  { root, table, hasFilter }: { readonly root: string; readonly table: string; readonly hasFilter: boolean },
  command: readonly string[],
): string {
  const links = rootLinks(view).map(([target, path]) => `ln -s ${quote(target)} ${quote(path)}`)
  const first = [
    ['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
    hasFilter ? filterCommand : [],
    [`${runtimePath}/sh`, '-c', firstProcess, 'ingot-init'],
    ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', ...command],
  ].flat()
  return [
    'set -e',
    'umask 022',
    `mount -n -t tmpfs -o mode=755,size=16m tmpfs ${quote(root)}`,
    `cd ${quote(root)}`,
    'mkdir dev old',
    `touch ${nodesOf(view).map(quote).join(' ')}`,
    ...deviceLinks.map(([target, name]) => `ln -s ${target} dev/${name}`),
    ...links,
    `mount -n -a -T ${quote(table)}`,
    'echo 0 > /proc/sys/user/max_user_namespaces',
    `hostname ${quote(view.hostname)} 2>/dev/null || :`,
    `ip link set lo up 2>/dev/null || ${loopbackByPerl} 2>/dev/null || :`,
    'pivot_root . old',
    'cd /',
    'umount -n -l old',
    'rmdir old',
    'mount -n -o remount,bind,ro / /',
    'unset OLDPWD',
    `exec ${first.map(quote).join(' ')}`,
  ].join('\n')
}

/** What the launcher is asked for: the root's files, links and mounts, and the command. */
export function launcherRequest(
  view: MachineView,
  { root, filter }: { readonly root: string; readonly filter: string | null },
  command: readonly string[],
): string[] {
  const lists = [
    nodesOf(view),
    [...deviceLinks.map(([target, name]) => [target, `dev/${name}`]), ...rootLinks(view)].flat(),
    mountRows(view, root).flat(),
    command,
  ]
  return [view.hostname, root, filter ?? '', ...lists.flatMap(counted)]
}

/** The table of mounts, as in fstab(5). */
export const mountTable = (view: MachineView, root: string): string =>
  mountRows(view, root)
    .map(row => `${row.map(escapeField).join(' ')} 0 0\n`)
    .join('')

/** Files that device nodes are bound over, from the root. */
const nodesOf = (view: MachineView): string[] => [
  ...devices.map(name => `dev/${name}`),
  ...view.devices.map(({ path }) => path.slice(1)),
]

const rootLinks = (view: MachineView) =>
  view.links.map(({ path, target }) => [target, path.slice(1)] as const)

/** Source, path, type and options of each mount. */
function mountRows(view: MachineView, root: string): string[][] {
  const mounts = hostMounts()
  return [
    ...view.scratch.map(path => ['tmpfs', root + path, 'tmpfs', 'nosuid,nodev,mode=755,X-mount.mkdir']),
    ...view.readOnly.flatMap(({ source, path }) => readOnlyRows(mounts, source, root + path)),
    ...view.hidden.map(path => ['tmpfs', root + path, 'tmpfs', 'ro,nosuid,nodev,mode=755']),
    ...view.writable.map(({ source, path }) => [
      source,
      root + path,
      'none',
      ['rbind', 'nosuid', 'nodev', ...kept(mountOf(mounts, source)), 'X-mount.mkdir'].join(','),
    ]),
    ['proc', `${root}/proc`, 'proc', 'nosuid,nodev,noexec,X-mount.mkdir'],
    [`${root}/proc/sys`, `${root}/proc/sys`, 'none', 'bind,ro,nosuid,nodev,noexec'],
    ...devices.map(name => [`/dev/${name}`, `${root}/dev/${name}`, 'none', 'bind']),
    ...view.devices.map(({ source, path }) => [source, root + path, 'none', 'bind']),
    ['devpts', `${root}/dev/pts`, 'devpts', 'newinstance,ptmxmode=0666,mode=620,nosuid,noexec,X-mount.mkdir'],
    ['tmpfs', `${root}/dev/shm`, 'tmpfs', 'nosuid,nodev,X-mount.mkdir'],
  ]
}

/** The kernel ties a mount to those below it, so they come along, and each has to be made read-only for itself. */
function readOnlyRows(mounts: readonly Mount[], source: string, path: string): string[][] {
  return [
    [source, path, 'none', `rbind,${readOnlyOptions(mountOf(mounts, source))},X-mount.mkdir`],
    ...mountsBelow(mounts, source).map(mount => [
      'none',
      path + mount.path.slice(source.length),
      'none',
      `remount,bind,${readOnlyOptions(mount)}`,
    ]),
  ]
}

const readOnlyOptions = (mount: Mount) => ['ro', 'nosuid', 'nodev', ...kept(mount)].join(',')

/** Flags of a host's mount that a user namespace may not take away. */
function kept(mount: Mount): string[] {
  const atime = ['noatime', 'relatime'].find(flag => mount.flags.includes(flag)) ?? 'strictatime'
  return [...mount.flags.filter(flag => flag === 'noexec' || flag === 'nodiratime'), atime]
}

/** A list among other fields: how many there are, and those. */
export const counted = (list: readonly string[]): string[] => [String(list.length), ...list]

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const escapeField = (text: string | undefined): string =>
  (text ?? '').replaceAll(/[\s\\]/g, match => `\\${match.charCodeAt(0).toString(8).padStart(3, '0')}`)
