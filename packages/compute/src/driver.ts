/**
 * How machines are got. A driver knows nothing of users, money or PostgreSQL.
 *
 * Every call is idempotent by key or ref, answers within seconds and never waits for a machine: "not yet" is a value,
 * and so is failure. Absence is success for `destroy`. Whatever a driver makes carries the instance id, so that
 * `list` finds what the control plane has forgotten. For a ref with nothing behind it `observe` answers `gone`,
 * `destroy` is done, and every other call on it is `lost`. A call that throws is a bug in the driver, not an answer.
 */
import type { Duplex } from 'node:stream'

export interface MachineSpec {
  /** The instance's id: label of everything made for it, and the key of `create`. */
  readonly instanceId: string
  readonly name: string
  readonly gpuType: string
  readonly gpuCount: number
  readonly gpuMemoryGb: number
  readonly cpuCores: number
  readonly memoryGb: number
  readonly storageGb: number
  readonly image: string
  readonly region: string
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
  /** Ask again, at the earliest after `retryMs`. */
  | { readonly kind: 'not_yet'; readonly retryMs: number }
  /** `message` is for the customer; it names no host path and no secret. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly message: string }

export const done: { (): Answer; <T>(value: T): Answer<T> } = <T>(value?: T) =>
  ({ kind: 'done', value: value as T }) as Answer<T>
export const notYet = (retryMs: number): Answer<never> => ({ kind: 'not_yet', retryMs })
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
}

export interface Offer {
  readonly gpuType: string
  /** The places that it is sold from: one for each card of this type, or one for each machine of any type. */
  readonly pool: 'cards' | 'machines'
  /** All places that the pool has now, held or not, and how many of them could be taken. */
  readonly places: number
  readonly free: number
}

export interface Capabilities {
  /** Whether the GPU a customer sees is a real card. */
  readonly hardware: 'real' | 'simulated'
  readonly shell: 'real' | 'simulated'
  /** Limits the driver can truly enforce here. */
  readonly enforces: {
    readonly cpu: boolean
    readonly memory: boolean
    readonly processes: boolean
    readonly disk: boolean
  }
  readonly volumes: boolean
  readonly snapshots: boolean
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
  /** What of these types can be placed here, in their order; one that never can is left out. */
  offers(gpuTypes: readonly string[]): Promise<readonly Offer[]>
  /** Makes the disk, where a place is free; starts nothing and holds no place. The same key answers the same ref. */
  create(spec: MachineSpec, key: string): Promise<Answer<Ref>>
  observe(ref: Ref): Promise<Answer<Observation>>
  /** Takes a place until the machine stops. `restart`: this start belongs to a restart, which a driver that follows the product's timings makes longer. */
  start(ref: Ref, options?: { readonly restart?: boolean }): Promise<Answer<Observation>>
  /** Ends every process of the machine; the disk stays. */
  stop(ref: Ref): Promise<Answer>
  /** Ends it and removes its disk. Done when nothing is left, also when there never was anything. */
  destroy(ref: Ref): Promise<Answer>
  attach(ref: Ref, terminalId: string, size: TerminalSize): Promise<Answer<TerminalStream>>
  /**
   * Processor time of this run of a running machine so far, in ms, all its processes together without what the driver
   * itself runs in it; null where it cannot be told. It begins anew with each start. It grows with work; it may
   * also fall, when a process ends that nobody waited for.
   */
  cpuTime(ref: Ref): Promise<Answer<number | null>>
  /**
   * Everything this driver holds, each as `observe` would answer now without waiting for anything. Whoever cannot tell of
   * all of them fails: what is not named is not there. However many there are, the event loop goes round meanwhile.
   */
  list(): Promise<Answer<readonly Listed[]>>
  /** Lets go of handles; machines keep running. */
  close(): Promise<void>
}
