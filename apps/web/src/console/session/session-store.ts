/**
 * Where the browser keeps the session. "Remember me" decides: remembered, it outlives the browser; otherwise it ends
 * with it. A session is read from wherever it is, and written where the last choice says.
 *
 * A session that is not remembered lies in each tab's own storage. The tabs tell one another: a new tab asks the others
 * for it, and a renewed one reaches all, because a tab that came with an old token would look like a thief.
 */
const choiceKey = 'ingot-remember'
/** A tab that is busy answers late: who asked too briefly would send a signed-in person to the sign-in page. */
const answerMs = 5_000
const answerWithoutLocksMs = 1_000

export const setRemembered = (remembered: boolean): void =>
  localStorage.setItem(choiceKey, remembered ? 'yes' : 'no')
export const isRemembered = (): boolean => localStorage.getItem(choiceKey) !== 'no'

type Told = { readonly key: string; readonly value?: string | null; readonly wanted?: true }

const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('ingot-tabs')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
const tell = (told: Told) => tabs?.postMessage(told)
const asked = new Set<string>()

/** A tab that has what the others may ask for holds a lock of that name: a new tab waits only where there is one. */
const lockOf = (key: string) => `ingot-tab ${key}`
const held = new Map<string, () => void>()
function hold(key: string): void {
  if (sessionStorage.getItem(key) === null) {
    held.get(key)?.()
    held.delete(key)
  } else if (!held.has(key)) {
    const released = new Promise<void>(done => held.set(key, done))
    // A page that came without TLS has no locks.
    void navigator.locks?.request(lockOf(key), { mode: 'shared' }, () => released)
  }
}
async function waitMs(key: string): Promise<number> {
  if (!navigator.locks) return answerWithoutLocksMs
  const locks = await navigator.locks.query()
  return locks.held?.some(lock => lock.name === lockOf(key)) ? answerMs : 0
}

tabs?.addEventListener('message', ({ data }: MessageEvent<Told>) => {
  const mine = sessionStorage.getItem(data.key)
  if (data.wanted) {
    if (mine !== null) tell({ key: data.key, value: mine })
  } else if (data.value == null) sessionStorage.removeItem(data.key)
  else if (!isRemembered()) sessionStorage.setItem(data.key, data.value)
  if (!data.wanted) hold(data.key)
})

/** Once a page. */
async function fromOtherTabs(key: string): Promise<string | null> {
  if (!tabs || isRemembered() || asked.has(key)) return null
  asked.add(key)
  const ms = await waitMs(key)
  if (ms === 0) return null
  await new Promise<void>(resolve => {
    setTimeout(resolve, ms)
    tabs.addEventListener('message', ({ data }: MessageEvent<Told>) => data.key === key && resolve())
    tell({ key, wanted: true })
  })
  return sessionStorage.getItem(key)
}

export const sessionStore = {
  getItem(key: string): string | null | Promise<string | null> {
    hold(key)
    return sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? fromOtherTabs(key)
  },
  setItem(key: string, value: string): void {
    const [place, other] = isRemembered() ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
    place.setItem(key, value)
    other.removeItem(key)
    hold(key)
    tell({ key, value: isRemembered() ? null : value })
  },
  removeItem(key: string): void {
    sessionStorage.removeItem(key)
    localStorage.removeItem(key)
    hold(key)
    tell({ key, value: null })
  },
}
