/**
 * Where the browser keeps the session. "Remember me" decides: remembered, it outlives the browser; otherwise it ends
 * with it. A session is read from wherever it is, and written where the last choice says.
 */
const choiceKey = 'ingot-remember'

export const setRemembered = (remembered: boolean): void =>
  localStorage.setItem(choiceKey, remembered ? 'yes' : 'no')
export const isRemembered = (): boolean => localStorage.getItem(choiceKey) !== 'no'

export const sessionStore = {
  getItem: (key: string): string | null => sessionStorage.getItem(key) ?? localStorage.getItem(key),
  setItem(key: string, value: string): void {
    const [place, other] = isRemembered() ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
    place.setItem(key, value)
    other.removeItem(key)
  },
  removeItem(key: string): void {
    sessionStorage.removeItem(key)
    localStorage.removeItem(key)
  },
}
