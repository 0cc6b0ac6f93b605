/** Said once, to somebody whose account was just deleted; a reload does not say it again. */
export function goodbye(): void {
  const band = document.createElement('p')
  band.role = 'status'
  band.className = 'bg-info-soft px-4 py-3 text-center font-medium text-info'
  document.querySelector('header')?.after(band)
  band.textContent = 'Your account is deleted. A last mail confirms it. Thank you for having been here.'
  history.replaceState(null, '', '/')
}
