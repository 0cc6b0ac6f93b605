/**
 * Queries that arrive in the same turn of the event loop share one. None joins a query that began before it arrived:
 * the answer would be from before it. Nothing is kept once the query has answered.
 */

/**
 * The nth parameter, as an array that the planner does not look into: then its plan is good for any number of items,
 * and PostgreSQL keeps it. An array in sight makes it plan each run anew, which takes longer than the run.
 */
export const column = (n: number, type: string): string => `(select $${n}::${type}[])::${type}[]`

/** The first parameters, for `unnest`. */
export const columns = (...types: readonly string[]): string =>
  types.map((type, n) => column(n + 1, type)).join(', ')

interface Waiting<Item, Answer> extends PromiseWithResolvers<Answer> {
  readonly item: Item
}

/** `run` answers in the order of its items. */
export function batch<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = []

  async function flush() {
    const together = waiting
    waiting = []
    try {
      const answers = await run(together.map(({ item }) => item))
      for (const [n, { resolve }] of together.entries()) resolve(answers[n]!)
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  return item => {
    if (!waiting.length) setImmediate(() => void flush())
    const mine = { item, ...Promise.withResolvers<Answer>() }
    waiting.push(mine)
    return mine.promise
  }
}

/** The same for whatever the query needs: the calls of one owner share it. */
export function batchPer<Owner extends object, Item, Answer>(
  run: (owner: Owner, items: readonly Item[]) => Promise<readonly Answer[]>,
): (owner: Owner, item: Item) => Promise<Answer> {
  const made = new WeakMap<Owner, (item: Item) => Promise<Answer>>()
  return (owner, item) => {
    const shared = made.get(owner) ?? batch(items => run(owner, items))
    made.set(owner, shared)
    return shared(item)
  }
}

/** Look-ups of the same key are one. */
export function coalesce<V>(
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  return batch(async keys => {
    const found = await lookUp([...new Set(keys)])
    return keys.map(key => found.get(key))
  })
}
