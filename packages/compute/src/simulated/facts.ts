/** What the simulated shell is told about the machine it runs on. Everything it prints agrees with this. */
export interface MachineFacts {
  readonly name: string
  readonly gpuType: string
  readonly gpuCount: number
  readonly gpuMemoryGb: number
  readonly cpuCores: number
  readonly memoryGb: number
  readonly storageGb: number
  /** When it last began to run, on the clock that `date` shows. */
  readonly startedAtMs: number
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
