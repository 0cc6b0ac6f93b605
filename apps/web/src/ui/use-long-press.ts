/**
 * A finger that rests on a row. The click and the menu that browsers make of the same touch are taken away; a finger
 * that moves scrolls, and presses nothing.
 */
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { rowsOf } from './use-row-keys.ts'

const pressMs = 500
const slackPx = 10

export function useLongPress(
  body: RefObject<HTMLTableSectionElement | null>,
  on: boolean,
  press: (row: number) => void,
): void {
  const pressed = useEffectEvent(press)
  useEffect(() => {
    const element = body.current
    if (!on || !element) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let began = { x: 0, y: 0 }
    let isDone = false
    const stop = () => clearTimeout(timer)
    const down = (event: PointerEvent) => {
      isDone = false
      stop()
      const row = event.target instanceof Element ? event.target.closest('tr') : null
      if (event.pointerType !== 'touch' || !row) return
      began = { x: event.clientX, y: event.clientY }
      timer = setTimeout(() => {
        isDone = true
        pressed(rowsOf(element).indexOf(row))
      }, pressMs)
    }
    const move = (event: PointerEvent) => {
      if (Math.hypot(event.clientX - began.x, event.clientY - began.y) > slackPx) stop()
    }
    const swallow = (event: Event) => {
      if (!isDone) return
      event.preventDefault()
      event.stopPropagation()
      if (event.type === 'click') isDone = false
    }
    const passive = { passive: true }
    element.addEventListener('pointerdown', down, passive)
    element.addEventListener('pointermove', move, passive)
    element.addEventListener('pointerup', stop, passive)
    element.addEventListener('pointercancel', stop, passive)
    element.addEventListener('click', swallow, true)
    element.addEventListener('contextmenu', swallow, true)
    return () => {
      stop()
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', stop)
      element.removeEventListener('pointercancel', stop)
      element.removeEventListener('click', swallow, true)
      element.removeEventListener('contextmenu', swallow, true)
    }
  }, [body, on])
}
