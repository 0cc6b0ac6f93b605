import { doEarly } from './early.ts'

/** The phone menu closes when a link is chosen, and opens where the browser does not know `command` on buttons. */
export function menu(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog#menu')
  if (!dialog) return
  dialog.addEventListener('click', event => {
    if (event.target instanceof Element && event.target.closest('a')) dialog.close()
  })
  // Wide enough for the bar: the menu would cover the page with nothing in it.
  matchMedia('(min-width: 1024px)').addEventListener('change', () => dialog.close())
  if ('command' in HTMLButtonElement.prototype) return
  for (const button of document.querySelectorAll<HTMLElement>('[commandfor=menu]')) {
    button.addEventListener('click', () =>
      button.getAttribute('command') === 'close' ? dialog.close() : dialog.showModal(),
    )
    doEarly(button)
  }
}
