/**
 * What the contracts remember: one map of numbers, with a journal. The journal rolls back a transaction that reverts,
 * undoes a block that is replaced, and lets the state of an earlier block be read.
 */

/** What each key held before a block changed it. */
export type Undo = ReadonlyMap<string, bigint>

export interface State {
  /** 0n for a key never set. */
  get(key: string): bigint
  set(key: string, value: bigint): void
  /** A point to roll back to; it ends with the next seal. */
  mark(): number
  rollback(mark: number): void
  /** Ends a block: all changes since the last seal. */
  seal(): Undo
  undo(block: Undo): void
}

export function createState(): State {
  const values = new Map<string, bigint>()
  let journal: [key: string, before: bigint][] = []
  const get = (key: string) => values.get(key) ?? 0n
  const restore = (key: string, value: bigint) => {
    if (value === 0n) values.delete(key)
    else values.set(key, value)
  }
  return {
    get,
    set(key, value) {
      journal.push([key, get(key)])
      restore(key, value)
    },
    mark: () => journal.length,
    rollback(mark) {
      while (journal.length > mark) restore(...journal.pop()!)
    },
    seal() {
      const block = new Map<string, bigint>()
      for (const [key, before] of journal) if (!block.has(key)) block.set(key, before)
      journal = []
      return block
    },
    undo(block) {
      for (const [key, before] of block) restore(key, before)
    },
  }
}

/** A key's value before the given blocks, oldest first, were applied. */
export function valueBefore(state: State, blocks: readonly Undo[], key: string): bigint {
  for (const block of blocks) {
    const before = block.get(key)
    if (before !== undefined) return before
  }
  return state.get(key)
}
