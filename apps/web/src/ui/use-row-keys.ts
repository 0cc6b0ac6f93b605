/**
 * Moving between the rows of a table. One row at a time is in the tab order; J and K work from anywhere on the page
 * that does not use letters itself, arrows only from within the table, where they do not take the page's scrolling.
 * The listeners are the document's own: React would also hear keys from a row's menu, which stands elsewhere.
 */
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { areSingleKeysOn, isTaken, useShortcut } from './shortcuts.ts'

/** Marks a row that belongs to the one before it. */
export const underRow = { 'data-under-row': '' }

/** The rows of the list itself. */
export const rowsOf = (body: HTMLTableSectionElement | null): HTMLTableRowElement[] =>
  [...(body?.rows ?? [])].filter(row => row.dataset['underRow'] === undefined)

interface RowActions<Row> {
  readonly onOpen: ((row: Row) => void) | undefined
  readonly onCurrent: ((row: Row) => void) | undefined
  readonly onSelect: ((row: Row) => void) | undefined
  /** Up to this row; `from`, where the focus was. */
  readonly onExtend: ((row: Row, from: Row) => void) | undefined
}

export function useRowKeys<Row>(
  body: RefObject<HTMLTableSectionElement | null>,
  rows: readonly Row[],
  { onOpen, onCurrent, onSelect, onExtend }: RowActions<Row>,
): { readonly on: boolean; readonly current: number } {
  const [chosen, setChosen] = useState(0)
  const on = Boolean(onOpen ?? onSelect) && rows.length > 0
  const current = Math.min(chosen, rows.length - 1)

  const focusRow = (index: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, index))
    const row = rowsOf(body.current)[at]
    row?.focus()
    row?.scrollIntoView({ block: 'nearest' })
    return rows[at]
  }
  const isInside = () => body.current?.contains(document.activeElement) ?? false
  useShortcut('j', () => focusRow(isInside() ? current + 1 : current), on)
  useShortcut('k', () => focusRow(isInside() ? current - 1 : current), on)

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const row = rows[current]
    if (!row || isTaken(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    const moves: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: rows.length - 1,
      // A letter with Shift is handled here alone; without, wherever the focus is.
      ...(event.shiftKey && areSingleKeysOn() ? { J: current + 1, K: current - 1 } : {}),
    }
    const move = moves[event.key]
    const isOnRow = event.target instanceof HTMLTableRowElement
    if (move !== undefined) {
      const to = focusRow(move)
      if (event.shiftKey && to) onExtend?.(to, row)
    } else if (event.key === 'Enter' && isOnRow) onOpen?.(row)
    else if ((event.key === ' ' && isOnRow) || (event.key.toLowerCase() === 'x' && areSingleKeysOn())) {
      if (!onSelect) return
      if (event.shiftKey) onExtend?.(row, row)
      else onSelect(row)
    } else if (event.key === '.' && areSingleKeysOn()) openMenu(rowsOf(body.current)[current])
    else return
    event.preventDefault()
  })

  /** Whatever takes the focus in a row makes it the current one. */
  const onFocus = useEffectEvent((event: FocusEvent) => {
    const within = event.target instanceof Element ? event.target.closest('tr') : null
    const element = within?.dataset['underRow'] === undefined ? within : within.previousElementSibling
    const index = rowsOf(body.current).findIndex(each => each === element)
    if (index < 0) return
    setChosen(index)
    const row = rows[index]
    if (row) onCurrent?.(row)
  })

  useEffect(() => {
    const element = body.current
    if (!on || !element) return
    const keydown = (event: KeyboardEvent) => onKeyDown(event)
    const focusin = (event: FocusEvent) => onFocus(event)
    element.addEventListener('keydown', keydown)
    element.addEventListener('focusin', focusin)
    return () => {
      element.removeEventListener('keydown', keydown)
      element.removeEventListener('focusin', focusin)
    }
  }, [body, on])

  return { on, current }
}

/** Radix menus open on the keyboard's own keys, not on a click made by a script. */
function openMenu(row: HTMLTableRowElement | undefined): void {
  const trigger = row?.querySelector<HTMLElement>('[data-row-menu] button')
  trigger?.focus()
  trigger?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
}
