/**
 * How machines are got. A driver knows nothing of users, money or PostgreSQL.
 *
 * Every call is idempotent by key or ref, answers within seconds and never waits for a machine: "not yet" is a value,
 * and so is failure. Absence is success for `destroy`. Whatever a driver makes carries the instance id, so that
 * `list` finds what the control plane has forgotten. For a ref with nothing behind it `observe` answers `gone`,
 * `destroy` is done, and every other call on it is `lost`. A call that throws is a bug in the driver, not an answer.
 */
import type { Duplex, Readable, Writable } from 'node:stream'
import type { VolumeMount } from './volume-mount.ts'

export interface MachineSpec {
  /** The instance's id: label of everything made for it, and the key of `create`. */
  readonly instanceId: string
  /** Whose it is. Machines of one tenant may share what is theirs, such as an identity on the host; others never. */
  readonly tenant: string
  readonly name: string
  readonly gpuType: string
  readonly gpuCount: number
  readonly gpuMemoryGb: number
  readonly cpuCores: number
  readonly memoryGb: number
  readonly storageGb: number
  readonly region: string
  /** The host that it has its place on, as its driver names it; null: nobody chose one. */
  readonly host: string | null
  /** The cards of that host that are its own, by uuid; none: simulated ones. */
  readonly cards: readonly string[]
  /** As the customer chose it at the deploy; a driver that runs no images ignores it. */
  readonly image: string
  /** The machine's main program, by argument vector; its end ends the run. Null: the image's own, or none. */
  readonly command: readonly string[] | null
  /** Added to what the driver and the image set, for the main program, terminals and `exec`. */
  readonly env: Readonly<Record<string, string>>
  /** Of the store beside the driver (`volumes.ts`). */
  readonly volume: VolumeMount | null
}

/** Of the registry that an image is pulled from. */
export interface RegistryCredentials {
  readonly username: string
  readonly password: string
}

/** Where a machine is reached again: chosen by the driver, stored by the caller, opaque to it. */
export type Ref = string

export const failures = ['no_capacity', 'rejected', 'denied', 'transient', 'lost'] as const
/**
 * `no_capacity`: nothing free now. `rejected`: this spec can never run here. `denied`: the provider refuses us.
 * `transient`: worth trying again. `lost`: the machine is gone and will not come back.
 */
export type Failure = (typeof failures)[number]

export type Answer<T = void> =
  | { readonly kind: 'done'; readonly value: T }
  /** Ask again, at the earliest after `retryMs`. `progress`: what it waits for, where that can be told. */
  | { readonly kind: 'not_yet'; readonly retryMs: number; readonly progress?: Progress }
  /** `message` is for the customer; it names no host path and no secret. `fault`: what was wrong with a file. */
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly message: string
      readonly fault?: FileFault
    }

/** `totalBytes` grows while it is not known how much there is. */
export interface Progress {
  readonly what: 'pulling_image'
  readonly doneBytes: number
  readonly totalBytes: number
}

export const done: { (): Answer; <T>(value: T): Answer<T> } = <T>(value?: T) =>
  ({ kind: 'done', value: value as T }) as Answer<T>
export const notYet = (retryMs: number, progress?: Progress): Answer<never> => ({
  kind: 'not_yet',
  retryMs,
  ...(progress && { progress }),
})
export const failed = (failure: Failure, message: string): Answer<never> => ({
  kind: 'failed',
  failure,
  message,
})

/** `running`: a terminal can attach now. `stopped`: disk kept, nothing runs. `gone`: nothing left, disk included. */
export type MachineState = 'starting' | 'running' | 'stopping' | 'stopped' | 'gone'

export interface Observation {
  readonly state: MachineState
  /** Address reachable from outside, when there is one. */
  readonly publicIp: string | null
  /** When this was seen: see `Run`. */
  readonly at: number
  /** The present run, or the last one; null: it never ran, or nothing of it is left. */
  readonly run: Run | null
}

/** A machine as `list` tells of it. */
export interface Listed extends Observation {
  readonly ref: Ref
  readonly instanceId: string
}

/**
 * One run of a machine, from a start to its end. Times are in ms on a clock of the driver's that is never set, such as
 * the time since boot: only the difference of two means anything.
 */
export interface Run {
  /** The same at every look at this run; each start makes another. */
  readonly id: string
  readonly beganAt: number
  /** Null while anything of it runs. */
  readonly end: RunEnd | null
}

/**
 * `asked`: by `stop`. `inside`: whatever a program in the machine can bring about, such as ending its first process or
 * using up its memory; a program inside can't bring about an end of which nobody knows when it was. `host`: the host
 * went down, or ended it.
 */
export interface RunEnd {
  /** When the last of its processes had ended; null: nobody saw it. */
  readonly at: number | null
  readonly cause: 'asked' | 'inside' | 'host'
}

export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

/**
 * A terminal's bytes. The first to be read are the screen as it stands (nothing for a new shell), then output as it
 * comes. Reading slowly slows the program down; nothing is buffered without limit. The stream ends when the shell
 * exits; destroying it only detaches, the shell lives on.
 */
export interface TerminalStream extends Duplex {
  resize(size: TerminalSize): void
  /** Ends the shell itself, with what runs in it, for every viewer: the stream ends then. After that it does nothing. */
  hangUp(): void
}

/** Limits of one `exec`, in bytes of UTF-8, environment and arguments together. */
export const maxCommandBytes = 128 * 1024

export interface Command {
  /** By argument vector; the first is looked up in the machine's PATH. No shell reads it. */
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where it starts; the default is where terminals start. */
  readonly cwd?: string
  /** With a size it runs on a terminal: what it writes is all `stdout`. */
  readonly size?: TerminalSize
}

export const executionSignals = ['HUP', 'INT', 'QUIT', 'TERM', 'KILL', 'USR1', 'USR2'] as const
export type ExecutionSignal = (typeof executionSignals)[number]

/**
 * A program that runs in a machine beside its terminals. Reading `stdout` and `stderr` slowly slows it down; nothing
 * is buffered without limit, so both have to be read. They end when the program has ended, also where a process that
 * it left behind holds them open. What it left behind runs on.
 */
export interface Execution {
  /** Ending it is the end of the program's input; on a terminal it types Ctrl-D. */
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /**
   * How it ended, after all output was read or thrown away; never rejects. Null: nobody knows, since the machine ended
   * or was lost first. Who waits for it reads or destroys both outputs. `signal` is named as in `ExecutionSignal`. Of a program that was not found `code` is 127.
   */
  readonly ended: Promise<ExitStatus | null>
  /** Without a terminal it does nothing. */
  resize(size: TerminalSize): void
  /** To the program and those of its children that have not left it. */
  signal(signal: ExecutionSignal): void
  /** Lets go of it: it gets HUP, and KILL 2 s later if it has not ended. So does whoever loses the driver. */
  close(): void
}

export const logStreams = ['stdout', 'stderr', 'machine'] as const

/** One line of what a machine's main program wrote, or (`machine`) of what the driver says of it. */
export interface LogLine {
  /** ms since 1970, on the machine's host. */
  readonly at: number
  readonly stream: (typeof logStreams)[number]
  /** Without its end; a longer one than 16 KiB comes in parts. */
  readonly text: string
}

export type ExitStatus = { readonly code: number | null; readonly signal: string | null }
/** The last line of `machine` after the main program has ended by itself says how. */
export const exitText = ({ code, signal }: ExitStatus): string =>
  `The main program ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}.`
/** Null: the line says something else. */
export function readExit(text: string): ExitStatus | null {
  const [, code, signal] =
    /^The main program ended (?:with exit code (\d{1,10})|by ([A-Z0-9]{1,20}))\.$/.exec(text) ?? []
  if (code !== undefined) return { code: Number(code), signal: null }
  return signal === undefined ? null : { code: null, signal }
}
export interface LogOptions {
  /** Only lines from then on, in ms since 1970. */
  readonly since?: number
  /** Goes on with what is written from now on, until the run ends or the stream is destroyed. */
  readonly follow?: boolean
}

/** What a machine uses now. A part that the driver does not measure (`measures`) is null, of cards: empty. */
export interface Stats {
  /** Processor time of this run in ms (see `cpuTime`), and the processors it may use at most. */
  readonly processor: { readonly usedMs: number; readonly cores: number } | null
  readonly memory: { readonly usedBytes: number; readonly limitBytes: number } | null
  readonly disk: { readonly usedBytes: number; readonly sizeBytes: number } | null
  /** Of this run, without the machine's own loopback. */
  readonly network: { readonly receivedBytes: number; readonly sentBytes: number } | null
  readonly cards: readonly CardStats[]
}

export interface CardStats {
  readonly uuid: string
  /** 0 to 1. */
  readonly load: number
  readonly memoryUsedBytes: number
  readonly memoryBytes: number
  readonly celsius: number
  readonly watts: number
}

export const fileFaults = [
  'not_found',
  'exists',
  'not_a_file',
  'not_a_folder',
  'not_empty',
  'no_access',
  'no_space',
  'bad_path',
] as const
export type FileFault = (typeof fileFaults)[number]

export interface FileEntry {
  /** The last part of its path. Bytes that are no UTF-8 show as U+FFFD, and such a file can't be named in a call. */
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly bytes: number
  /** ms since 1970. */
  readonly modifiedAt: number
  /** The permission bits, such as 0o644. */
  readonly mode: number
}

/** Of one page of a listing. */
export const maxListed = 1_000

/**
 * A machine's files as its programs see them, also while it is stopped. Paths are absolute, links are followed as in
 * the machine and lead nowhere else. Only files and folders are read or written, never what else has a name there.
 * A failure that lies in the request is `rejected` and has a `fault`.
 */
export interface MachineFiles {
  /**
   * A page of a folder, or of the one that a link leads to, in the order of its names' UTF-8 bytes; `after`: what comes
   * behind that name. The entries tell of links themselves.
   */
  list(
    path: string,
    page?: { readonly after?: string; readonly limit?: number },
  ): Promise<Answer<{ readonly entries: readonly FileEntry[]; readonly hasMore: boolean }>>
  /** Follows no link at the end of the path. */
  stat(path: string): Promise<Answer<FileEntry>>
  /**
   * The bytes from `from` on, at most `length` of them, fewer where the file ends; one that grows meanwhile ends where
   * it ended when it was opened. An error of the stream: they are not all there.
   */
  read(
    path: string,
    range?: { readonly from?: number; readonly length?: number },
  ): Promise<Answer<{ readonly entry: FileEntry; readonly data: Readable }>>
  /**
   * Writes `data` from byte `from` on and answers the file's size; without `from` it replaces what was there, all of it
   * or nothing. Both make a file that is not there. A stream that fails leaves, with `from`, what was written so far.
   */
  write(
    path: string,
    data: Readable,
    options?: { readonly from?: number },
  ): Promise<Answer<{ readonly bytes: number }>>
  /** Done also when it is there. */
  makeFolder(path: string): Promise<Answer>
  /** Never over something that is there: `exists`. */
  rename(path: string, to: string): Promise<Answer>
  /** A file, a link or a folder with all that is in it. Done also when it is not there. */
  remove(path: string): Promise<Answer>
}

/** What can be rented of one computer, as its driver finds it: all of it, whether somebody has it now or not. */
export interface Host {
  /** The same for as long as it is the same computer; unique within the driver. */
  readonly id: string
  /** Running machines at most. */
  readonly machines: number
  readonly cpuCores: number
  readonly memoryBytes: number
  /** What disks of machines already take counts as free. Null: nothing is known of it, and nothing is held to it. */
  readonly diskBytes: number | null
  /** Null: it has none, and shows simulated ones of any type, as many as are asked for. */
  readonly cards: readonly Card[] | null
}

/** A whole card, or a MIG slice of one. */
export interface Card {
  /** No other card has it, on whatever host. */
  readonly uuid: string
  /** As the hardware names it, such as `NVIDIA A100-SXM4-80GB`, or `NVIDIA A100-SXM4-80GB MIG 1g.10gb`. */
  readonly model: string
  readonly memoryBytes: number
}

export interface Capabilities {
  /** Whether the GPU a customer sees is a real card. */
  readonly hardware: 'real' | 'simulated'
  readonly shell: 'real' | 'simulated'
  /** The image of the spec decides what a machine holds. Else it holds what its host has, or nothing. */
  readonly images: boolean
  /** Limits the driver can truly enforce here. */
  readonly enforces: {
    readonly cpu: boolean
    readonly memory: boolean
    readonly processes: boolean
    readonly disk: boolean
  }
  /** What of a machine it can measure here. What it lacks plays no part in whether a machine is idle. */
  readonly measures: {
    readonly processor: boolean
    readonly memory: boolean
    readonly disk: boolean
    readonly network: boolean
    readonly cards: boolean
  }
}

/** One line of the start-up report: what was probed, whether it holds, and what follows. */
export interface Probe {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

export interface Driver {
  readonly name: string
  readonly capabilities: Capabilities
  /** What this driver found on the machine. When any `required` probe fails the driver is not offered. */
  readonly probes: readonly Probe[]
  /** Its hosts, each as it is now; one that does not answer is left out. Nothing that runs changes what it says of cards. */
  inventory(): Promise<Answer<readonly Host[]>>
  /**
   * Makes the disk, where a place is free; starts nothing and holds no place. The same key answers the same ref, and what
   * has changed of the spec counts from the next start. `access` is for the image alone; whoever runs no images ignores
   * it, and nobody keeps it.
   */
  create(spec: MachineSpec, key: string, access?: RegistryCredentials | null): Promise<Answer<Ref>>
  observe(ref: Ref): Promise<Answer<Observation>>
  /** Takes a place until the machine stops, on the host and with the cards that `create` was told last. `restart`: this start belongs to a restart, which a driver that follows the product's timings makes longer. */
  start(ref: Ref, options?: { readonly restart?: boolean }): Promise<Answer<Observation>>
  /** Ends every process of the machine; the disk stays. */
  stop(ref: Ref): Promise<Answer>
  /** Ends it and removes its disk. Done when nothing is left, also when there never was anything. */
  destroy(ref: Ref): Promise<Answer>
  attach(ref: Ref, terminalId: string, size: TerminalSize): Promise<Answer<TerminalStream>>
  /** Runs a program beside the terminals of a running machine. */
  exec(ref: Ref, command: Command): Promise<Answer<Execution>>
  /**
   * A connection to a port of a running machine's own loopback: it takes no host, so it leads nowhere else. Each side
   * may end its half. Where nothing listens: `rejected`.
   */
  connect(ref: Ref, port: number): Promise<Answer<Duplex>>
  /** What its main program wrote, the oldest first, of as far back as the driver keeps it; also while it is stopped. */
  logs(ref: Ref, options?: LogOptions): Promise<Answer<Readable & AsyncIterable<LogLine>>>
  /** Of a running machine. */
  stats(ref: Ref): Promise<Answer<Stats>>
  files(ref: Ref): MachineFiles
  /**
   * Processor time of this run of a running machine so far, in ms, all its processes together without what the driver
   * itself runs in it. It begins anew with each start. It grows with work; it may also fall, when a process ends that
   * nobody waited for. A failure where the driver lacks it (`measures`), or cannot read it now.
   */
  cpuTime(ref: Ref): Promise<Answer<number>>
  /**
   * Everything this driver holds, each as `observe` would answer now without waiting for anything. Whoever cannot tell of
   * all of them fails: what is not named is not there. However many there are, the event loop goes round meanwhile.
   */
  list(): Promise<Answer<readonly Listed[]>>
  /** Lets go of handles; machines keep running. */
  close(): Promise<void>
}
