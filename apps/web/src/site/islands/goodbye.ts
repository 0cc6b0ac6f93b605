const words: Readonly<Record<string, string>> = {
  '?account=deleted': 'Your account is deleted. A last mail confirms it. Thank you for having been here.',
  '?account=signed-out': 'Signed out successfully',
}

/** Said once, to somebody who just left the console for good or for now; a reload does not say it again. */
export function goodbye(): void {
  const text = words[location.search]
  if (!text) return
  const band = document.createElement('p')
  band.role = 'status'
  band.className = 'bg-info-soft px-4 py-3 text-center font-medium text-info'
  document.querySelector('header')?.after(band)
  band.textContent = text
  history.replaceState(null, '', '/')
}
