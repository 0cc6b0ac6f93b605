/** Does something with each of many, a few at a time, in their order. One that fails keeps no other from its turn. */
export async function runAll<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  const work = async () => {
    for (const item of rest) await act(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work))
}
