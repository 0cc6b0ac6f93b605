/**
 * The system calls that a machine may not make, as a classic BPF program for the kernel: a list of what is refused,
 * because a general-purpose Linux needs nearly all the rest. It closes what the namespaces leave open: mounting and
 * new namespaces, kernel modules and tracing, the kernel's log and keys, clocks, other processes' open files, and socket families that know no
 * network namespace (a virtual machine's host answers on AF_VSOCK).
 *
 * A call of another architecture than the machine's own ends the process: its numbers mean other calls.
 */
const syscalls = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    socket: 41,
    refused: {
      mount: 165,
      umount2: 166,
      pivot_root: 155,
      unshare: 272,
      setns: 308,
      open_tree: 428,
      move_mount: 429,
      fsopen: 430,
      fsconfig: 431,
      fsmount: 432,
      fspick: 433,
      mount_setattr: 442,
      open_tree_attr: 467,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      kexec_load: 246,
      kexec_file_load: 320,
      init_module: 175,
      finit_module: 313,
      delete_module: 176,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      io_uring_setup: 425,
      io_uring_enter: 426,
      io_uring_register: 427,
      keyctl: 250,
      add_key: 248,
      request_key: 249,
      syslog: 103,
      acct: 163,
      quotactl: 179,
      quotactl_fd: 443,
      iopl: 172,
      ioperm: 173,
      clock_settime: 227,
      clock_adjtime: 305,
      settimeofday: 164,
      adjtimex: 159,
      sethostname: 170,
      setdomainname: 171,
      name_to_handle_at: 303,
      open_by_handle_at: 304,
      fanotify_init: 300,
      lookup_dcookie: 212,
      nfsservctl: 180,
      uselib: 134,
      ustat: 136,
      sysfs: 139,
      vhangup: 153,
      pidfd_getfd: 438,
      kcmp: 312,
      modify_ldt: 154,
      chroot: 161,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    socket: 198,
    refused: {
      mount: 40,
      umount2: 39,
      pivot_root: 41,
      unshare: 97,
      setns: 268,
      open_tree: 428,
      move_mount: 429,
      fsopen: 430,
      fsconfig: 431,
      fsmount: 432,
      fspick: 433,
      mount_setattr: 442,
      open_tree_attr: 467,
      swapon: 224,
      swapoff: 225,
      reboot: 142,
      kexec_load: 104,
      kexec_file_load: 294,
      init_module: 105,
      finit_module: 273,
      delete_module: 106,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      io_uring_setup: 425,
      io_uring_enter: 426,
      io_uring_register: 427,
      keyctl: 219,
      add_key: 217,
      request_key: 218,
      syslog: 116,
      acct: 89,
      quotactl: 60,
      quotactl_fd: 443,
      clock_settime: 112,
      clock_adjtime: 266,
      settimeofday: 170,
      adjtimex: 171,
      sethostname: 161,
      setdomainname: 162,
      name_to_handle_at: 264,
      open_by_handle_at: 265,
      fanotify_init: 262,
      lookup_dcookie: 18,
      nfsservctl: 42,
      vhangup: 58,
      pidfd_getfd: 438,
      kcmp: 272,
      chroot: 51,
    },
  },
} as const

export type Architecture = keyof typeof syscalls

/** Unix, IPv4, IPv6, netlink: what `ip`, name lookups and every ordinary program use. */
const socketFamilies = [1, 2, 10, 16]
/** CLONE_NEW* for mount, cgroup, uts, ipc, user, pid and net. */
const namespaceFlags = 0x7e020000

const [eperm, enosys, eafnosupport] = [1, 38, 97]
const allow = 0x7fff0000
const killProcess = 0x80000000
const refuse = (errno: number) => 0x00050000 | errno

/** Offsets in the kernel's description of a call. */
const [atNumber, atArchitecture, atArgument0] = [0, 4, 16]
const [load, jumpEqual, jumpAtLeast, jumpSet, answer] = [0x20, 0x15, 0x35, 0x45, 0x06]
/** Calls from here on are those of the 32-bit interface on a 64-bit machine. */
const x32Bit = 0x40000000

interface Instruction {
  readonly code: number
  readonly value: number
  /** How many instructions to skip when the test holds, and when not. */
  readonly ifTrue?: number
  readonly ifFalse?: number
}

/** Answers when the tested value fits, goes on when not. */
const answerIf = (code: number, value: number, result: number): Instruction[] => [
  { code, value, ifFalse: 1 },
  { code: answer, value: result },
]

export const isArchitecture = (name: string): name is Architecture => name in syscalls

/** The program, ready for the kernel: eight bytes for each instruction. */
export function seccompProgram(architecture: Architecture): Buffer {
  const { audit, clone, clone3, socket, refused } = syscalls[architecture]
  const checkClone: Instruction[] = [
    { code: load, value: atArgument0 },
    ...answerIf(jumpSet, namespaceFlags, refuse(eperm)),
    { code: answer, value: allow },
  ]
  const checkSocket: Instruction[] = [
    { code: load, value: atArgument0 },
    ...socketFamilies.flatMap(family => answerIf(jumpEqual, family, allow)),
    { code: answer, value: refuse(eafnosupport) },
  ]
  const program: Instruction[] = [
    { code: load, value: atArchitecture },
    { code: jumpEqual, value: audit, ifTrue: 1 },
    { code: answer, value: killProcess },
    { code: load, value: atNumber },
    ...(architecture === 'x64' ? answerIf(jumpAtLeast, x32Bit, refuse(enosys)) : []),
    // Its flags lie in memory, which a filter can't read. Libraries then fall back to clone.
    ...answerIf(jumpEqual, clone3, refuse(enosys)),
    { code: jumpEqual, value: clone, ifFalse: checkClone.length },
    ...checkClone,
    { code: jumpEqual, value: socket, ifFalse: checkSocket.length },
    ...checkSocket,
    ...Object.values(refused).flatMap(number => answerIf(jumpEqual, number, refuse(eperm))),
    { code: answer, value: allow },
  ]
  return Buffer.concat(program.map(encode))
}

function encode({ code, value, ifTrue = 0, ifFalse = 0 }: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
