/**
 * Keys that act. A single letter never fires while someone types or a dialog is open, and all single keys can be
 * turned off (WCAG 2.1.4); combinations with Ctrl or Cmd always work. The latest to ask for a key gets it.
 */
import { useEffect, useEffectEvent } from 'react'

const storageKey = 'single-keys'
const sequenceMs = 1000
const handlers = new Map<string, (() => void)[]>()
let before: { readonly key: string; readonly at: number } | null = null

export const areSingleKeysOn = (): boolean => {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

export const setSingleKeysOn = (on: boolean): void => localStorage.setItem(storageKey, on ? 'on' : 'off')

/** Whether a plain key pressed here belongs to what has the focus. */
export function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('input, textarea, select')) return true
  return target.closest('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null
}

/** `'c'`, `'/'`, `'?'`, `'mod+k'` (Ctrl or Cmd), or a sequence: `'g i'`. */
export function useShortcut(keys: string, run: () => void, on = true): void {
  const handler = useEffectEvent(run)
  useEffect(() => {
    if (!on) return
    const mine = () => handler()
    if (handlers.size === 0) window.addEventListener('keydown', press)
    handlers.set(keys, [...(handlers.get(keys) ?? []), mine])
    return () => {
      const rest = (handlers.get(keys) ?? []).filter(other => other !== mine)
      if (rest.length > 0) handlers.set(keys, rest)
      else handlers.delete(keys)
      if (handlers.size === 0) window.removeEventListener('keydown', press)
    }
  }, [keys, on])
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return
  const key = event.key.toLowerCase()
  if (event.ctrlKey || event.metaKey) return void fire(event, `mod+${key}`)
  if (isTaken(event.target) || !areSingleKeysOn()) return
  const sequence = before && event.timeStamp - before.at < sequenceMs ? `${before.key} ${key}` : null
  before = { key, at: event.timeStamp }
  if (!(sequence && fire(event, sequence))) fire(event, key)
}

function fire(event: KeyboardEvent, keys: string): boolean {
  const handler = handlers.get(keys)?.at(-1)
  if (!handler) return false
  event.preventDefault()
  before = null
  handler()
  return true
}
