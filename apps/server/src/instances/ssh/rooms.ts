/** How many clients there may be: of one instance, and of all instances of one user. */
import type { Entry } from './sign-in.ts'

const forSsh = { mostPerInstance: 50, mostPerUser: 200 }

export interface Rooms {
  /** What gives the place back; null: there is none. */
  take(entry: Pick<Entry, 'instanceId' | 'userId'>): (() => void) | null
}

export function createRooms({ mostPerInstance, mostPerUser } = forSsh): Rooms {
  const taken = new Map<string, number>()
  const add = (key: string, more: number) => {
    const now = (taken.get(key) ?? 0) + more
    if (now > 0) taken.set(key, now)
    else taken.delete(key)
  }
  return {
    take({ instanceId, userId }) {
      if ((taken.get(instanceId) ?? 0) >= mostPerInstance || (taken.get(userId) ?? 0) >= mostPerUser)
        return null
      const keys = [instanceId, userId]
      for (const key of keys) add(key, 1)
      let isBack = false
      return () => {
        if (isBack) return
        isBack = true
        for (const key of keys) add(key, -1)
      }
    },
  }
}
