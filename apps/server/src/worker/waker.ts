/** A wait that a wake-up ends early. A wake-up while nobody waits ends the next wait at once, so none is missed. */
export interface Waker {
  wake(): void
  /** Waits at most `ms`. True when it was woken. Does not keep the process alive. */
  wait(ms: number): Promise<boolean>
}

export function createWaker(): Waker {
  let woken = false
  let end = () => {}
  return {
    wake() {
      woken = true
      end()
    },
    async wait(ms) {
      if (!woken) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, ms).unref()
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      const early = woken
      woken = false
      return early
    },
  }
}
