/** A page that a mailed link leads to: with the link's token it asks for one click, without it shows the other part. */
export function token(element: HTMLElement): void {
  const value = new URLSearchParams(location.search).get('token')
  if (!value) return
  element.querySelector<HTMLInputElement>('[data-with-token] [name=token]')!.value = value
  element.querySelector<HTMLElement>('[data-with-token]')!.hidden = false
  element.querySelector<HTMLElement>('[data-without-token]')!.hidden = true
}
