import { listRegions } from './catalog.ts'

/** Replaces the footer's words when the service itself says otherwise, or does not answer. */
export async function systemStatus(element: HTMLElement): Promise<void> {
  try {
    const { items } = await listRegions()
    if (!items.some(region => region.available)) element.textContent = 'Status: No region is available'
  } catch {
    element.textContent = 'Status: Not known, the service did not answer'
  }
}
