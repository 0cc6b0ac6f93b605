/**
 * A number that this browser made up, by which the service knows it again at a sign-in: wrong passwords that others try
 * elsewhere do not shut it out. It outlives the session, and says nothing to anybody else.
 */
const key = 'ingot-device'

/** Null where the browser keeps nothing: it is then known by its network alone. */
export function deviceNumber(): string | null {
  try {
    const known = localStorage.getItem(key)
    if (known !== null) return known
    const made = [...crypto.getRandomValues(new Uint8Array(16))]
      .map(byte => byte.toString(16).padStart(2, '0'))
      .join('')
    localStorage.setItem(key, made)
    return made
  } catch {
    return null
  }
}
