/**
 * Design A: bubblewrap makes the machine. Its arguments as a pure function of what the machine sees. They are handed
 * over in a file, because every process of the machine can read the command line of its first one, and the arguments
 * name folders of the host.
 */
import type { MachineView } from '../machine-view.ts'

export const seccompFd = 5

export function bwrapArguments(view: MachineView, hasFilter: boolean): string[] {
  return [
    ['--unshare-user', '--uid', '0', '--gid', '0'],
    ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net', '--unshare-cgroup'],
    ['--hostname', view.hostname],
    ['--cap-drop', 'ALL', '--new-session', '--clearenv', '--chdir', '/'],
    // When the watcher is killed, so is the machine.
    ['--die-with-parent'],
    hasFilter ? ['--seccomp', String(seccompFd)] : [],
    view.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    view.devices.flatMap(({ source, path }) => ['--dev-bind', source, path]),
    view.scratch.flatMap(path => ['--tmpfs', path]),
    view.readOnly.flatMap(({ source, path }) => ['--ro-bind', source, path]),
    view.hidden.flatMap(path => ['--tmpfs', path, '--remount-ro', path]),
    view.writable.flatMap(({ source, path }) => ['--bind', source, path]),
    ['--remount-ro', '/'],
  ].flat()
}
