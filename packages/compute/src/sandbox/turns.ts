/** Calls with the same key come one after the other; others don't wait for them. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>()

  return <T>(key: string, act: () => Promise<T>): Promise<T> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(act, act)
    last.set(key, turn)
    const leave = () => {
      if (last.get(key) === turn) last.delete(key)
    }
    turn.then(leave, leave)
    return turn
  }
}
