/** As a `ref`: the element takes the focus when it comes. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus()
