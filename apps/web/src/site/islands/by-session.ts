/** Links that lead elsewhere for somebody who is signed in. The console finds out whether the session still holds. */
export function bySession(root: HTMLElement): void {
  if (!isSignedIn()) return
  for (const link of [root, ...root.querySelectorAll<HTMLElement>('[data-signed-in]')]) {
    const { signedIn, signedInLabel } = link.dataset
    if (signedIn) link.setAttribute('href', signedIn)
    if (signedInLabel) link.textContent = signedInLabel
  }
}

function isSignedIn(): boolean {
  try {
    return [sessionStorage, localStorage].some(store => store.getItem('ingot-session') !== null)
  } catch {
    return false
  }
}
