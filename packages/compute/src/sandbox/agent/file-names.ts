/**
 * The names of a folder, a page of them, in the order of their UTF-8 bytes. The folder is read as a stream and only the
 * smallest names are kept, so one with a million of them costs time and no memory.
 *
 * Bytes that are no UTF-8 show as U+FFFD, and the order is that of what is shown, because that is what the next page is
 * asked with. Of several names that show alike, a page's end may pass over some.
 */
import { opendir } from 'node:fs/promises'

export interface FoundName {
  readonly bytes: Buffer
  readonly shown: string
}

interface Kept {
  /** A character for each byte, and so in the order of bytes. */
  readonly name: string
  /** The same of the name as it shows. */
  readonly key: string
}

const namesAtOnce = 512

/** The first `limit` names behind `after`, and whether there are more. */
export async function firstNames(
  place: string,
  after: string | null,
  limit: number,
): Promise<{ names: FoundName[]; hasMore: boolean }> {
  const behind = after === null ? '' : keyOf(Buffer.from(after))
  const most = limit + 1
  let kept: Kept[] = []
  let last: string | null = null
  const options = { encoding: 'latin1', bufferSize: namesAtOnce } as const
  for await (const { name } of await opendir(place, options)) {
    const key = isAscii(name) ? name : keyOf(Buffer.from(shownOf(name)))
    if (key <= behind || (last !== null && key >= last)) continue
    kept.push({ name, key })
    if (kept.length < most + namesAtOnce) continue
    kept = smallest(kept, most)
    last = kept.at(-1)!.key
  }
  const names = smallest(kept, most)
  return {
    names: names
      .slice(0, limit)
      .map(({ name }) => ({ bytes: Buffer.from(name, 'latin1'), shown: shownOf(name) })),
    hasMore: names.length > limit,
  }
}

const smallest = (names: readonly Kept[], most: number): Kept[] =>
  names.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).slice(0, most)

const keyOf = (bytes: Buffer): string => bytes.toString('latin1')
const shownOf = (name: string): string => Buffer.from(name, 'latin1').toString()
// oxlint-disable-next-line no-control-regex
const isAscii = (name: string): boolean => /^[\0-\x7F]*$/.test(name)
