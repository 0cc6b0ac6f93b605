/** Where mailed links and providers lead back to: each a page that reads what came in the address. */
const here = location.origin

export const confirmationTarget = (): string => `${here}/get-started`
export const resetTarget = (): string => `${here}/reset-password`
export const emailChangeTarget = (): string => `${here}/email-change`
export const linkedTarget = (provider: string): string =>
  `${here}/console/settings?linked=${encodeURIComponent(provider)}`

/** Back to the sign-in, and from there to the page that was asked for. */
export const signInTarget = (next: string | undefined): string =>
  `${here}/signin${next ? `?next=${encodeURIComponent(next)}` : ''}`
