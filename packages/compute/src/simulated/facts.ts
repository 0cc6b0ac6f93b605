/** What the simulated shell is told about the machine it runs on. Everything it prints agrees with this. */
export interface MachineFacts {
  /** What its made-up figures are made from, so that they are its own; else its name. */
  readonly instanceId?: string
  readonly name: string
  readonly gpuType: string
  readonly gpuCount: number
  /** By uuid; none: they have made-up ones. */
  readonly cards?: readonly string[]
  readonly gpuMemoryGb: number
  readonly cpuCores: number
  readonly memoryGb: number
  readonly storageGb: number
  /** When it last began to run, on the clock that `date` shows. */
  readonly startedAtMs: number
  /** Absent: nothing can be written. */
  readonly written?: Written
}

export interface Entry {
  readonly kind: 'file' | 'folder'
  /** Every machine has it: it can't be changed. */
  readonly isFixed: boolean
  readonly mode: number
  readonly modifiedAtMs: number
  readonly bytes: number
  /** Of a folder: nothing. */
  read(): Uint8Array
}

/** What was written to a machine beside the files that every one has. It is looked at anew by each command. */
export interface Written {
  find(path: string): Entry | null
  names(folder: string): readonly string[]
}

/** A machine's name as Linux would take it for a host name: `Llama 3 (test)` → `llama-3-test`. */
export function hostname(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')
  return plain || 'instance'
}
