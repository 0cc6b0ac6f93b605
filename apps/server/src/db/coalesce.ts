/**
 * Look-ups that arrive in the same turn of the event loop share one query. A look-up never joins a query that began
 * before it arrived: the answer would be from before it. Nothing is kept once the query has answered.
 */
export function coalesce<V>(
  lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting: Map<string, PromiseWithResolvers<V | undefined>> | null = null

  async function flush() {
    const batch = waiting!
    waiting = null
    try {
      const found = await lookUp([...batch.keys()])
      for (const [key, { resolve }] of batch) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
  }

  return key => {
    if (!waiting) {
      waiting = new Map()
      setImmediate(() => void flush())
    }
    const shared = waiting.get(key) ?? Promise.withResolvers<V | undefined>()
    waiting.set(key, shared)
    return shared.promise
  }
}

/** The same for whatever the look-up needs: the calls of one owner share queries. */
export function coalescePer<Owner extends object, V>(
  lookUp: (owner: Owner, keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
): (owner: Owner, key: string) => Promise<V | undefined> {
  const made = new WeakMap<Owner, (key: string) => Promise<V | undefined>>()
  return (owner, key) => {
    const shared = made.get(owner) ?? coalesce(keys => lookUp(owner, keys))
    made.set(owner, shared)
    return shared(key)
  }
}
