/** The application's toast: a title and a description, one at a time. A new one takes the place of the old. */
export interface AppToast {
  readonly title: string
  readonly description?: string
  readonly variant?: 'default' | 'destructive'
}

export interface ShownToast extends AppToast {
  readonly id: number
}

let shown: ShownToast | null = null
let lastId = 0
const listeners = new Set<() => void>()

export function appToast(toast: AppToast): void {
  show({ ...toast, id: ++lastId })
}

/** Nothing happens when another has taken its place meanwhile. */
export function dismissAppToast(id: number): void {
  if (shown?.id === id) show(null)
}

export const shownToast = (): ShownToast | null => shown

export function onToastChange(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

function show(toast: ShownToast | null): void {
  shown = toast
  for (const listener of listeners) listener()
}
