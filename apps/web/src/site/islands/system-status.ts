/** The footer's words, replaced by what the service itself says, also when it says nothing. */
import type { SystemStatus } from '@ingot/contracts/site'

const words = {
  operational: 'All systems operational',
  degraded: 'Some systems are degraded',
  down: 'The service is down',
}

export async function systemStatus(element: HTMLElement): Promise<void> {
  const put = (selector: string, text: string) => {
    element.querySelector(selector)!.textContent = text
  }
  try {
    const response = await fetch('/v1/status')
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    const { state, uptime_percent } = (await response.json()) as SystemStatus
    put('[data-state]', `Status: ${words[state]}`)
    if (uptime_percent) put('[data-uptime]', `${uptime_percent}% uptime, measured`)
  } catch {
    put('[data-state]', 'Status: Not known, the service did not answer')
  }
}
