/**
 * The shells of one window, and which of them is shown. Kept in the session storage, so that a reload returns to them:
 * one window's are never another's, and a tab of the instance's page has others than a window of its own.
 */
import { terminalLimits } from '@ingot/contracts/instance/terminal'

export interface Shell {
  readonly id: string
  /** `Shell 2`: the lowest that was free when it was opened. */
  readonly number: number
}

export interface Shells {
  /** Never none. */
  readonly list: readonly Shell[]
  /** The id of one of them. */
  readonly shown: string
}

const fresh = (number: number): Shell => ({ id: crypto.randomUUID(), number })

export function newShells(): Shells {
  const shell = fresh(1)
  return { list: [shell], shown: shell.id }
}

/** Why no more can be opened; null while they can. The service holds the same limit, over all windows. */
export const whyNoMore = ({ list }: Shells): string | null =>
  list.length < terminalLimits.terminals
    ? null
    : `An instance has at most ${terminalLimits.terminals} shells. Close one first.`

export function withNew(shells: Shells): Shells {
  if (whyNoMore(shells)) return shells
  const taken = new Set(shells.list.map(({ number }) => number))
  let number = 1
  while (taken.has(number)) number++
  const shell = fresh(number)
  return { list: [...shells.list, shell], shown: shell.id }
}

/** The one beside it is shown then. Null: it was the last. */
export function without(shells: Shells, id: string): Shells | null {
  const at = shells.list.findIndex(shell => shell.id === id)
  const list = shells.list.filter(shell => shell.id !== id)
  if (list.length === 0) return null
  const shown = shells.shown === id ? list[Math.min(Math.max(at, 0), list.length - 1)]!.id : shells.shown
  return { list, shown }
}

export const showing = (shells: Shells, id: string): Shells =>
  shells.list.some(shell => shell.id === id) ? { ...shells, shown: id } : shells

/** The next or the one before; around the ends. */
export function beside({ list, shown }: Shells, by: 1 | -1): string {
  const at = list.findIndex(({ id }) => id === shown)
  return list[(at + by + list.length) % list.length]!.id
}

const keyOf = (place: string): string => `terminal-shells:${place}`
const isShell = (value: unknown): value is Shell => {
  const { id, number } = (value ?? {}) as Partial<Shell>
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) && Number.isSafeInteger(number)
}

/** What was kept of them; null where nothing was, or nothing that can be read. */
export function parseShells(text: string | null): Shells | null {
  try {
    const { list, shown } = JSON.parse(text ?? 'null') as { list: unknown[]; shown: string }
    const known = list.filter(isShell).slice(0, terminalLimits.terminals)
    const first = known[0]
    return first ? showing({ list: known, shown: first.id }, shown) : null
  } catch {
    return null
  }
}

export function readShells(place: string): Shells {
  try {
    const known = parseShells(sessionStorage.getItem(keyOf(place)))
    if (known) return known
    const shells = newShells()
    keepShells(place, shells)
    return shells
  } catch {
    return newShells()
  }
}

/** Null: there are none any more, and the next are new ones. */
export function keepShells(place: string, shells: Shells | null): void {
  try {
    if (shells) sessionStorage.setItem(keyOf(place), JSON.stringify(shells))
    else sessionStorage.removeItem(keyOf(place))
  } catch {
    // Storage is refused: they last for this page.
  }
}
