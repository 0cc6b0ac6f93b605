import { useEffect, useRef, useState } from 'react'

const quietMs = 150
const leastMs = 300

/**
 * Whether to show the skeleton: not for the first 150 ms, so a quick answer shows nothing in between; then for at
 * least 300 ms, so it never flashes. `waiting` is true until the result may be shown.
 */
export function usePending(loading: boolean): { readonly waiting: boolean; readonly skeleton: boolean } {
  const [skeleton, setSkeleton] = useState(false)
  const since = useRef(0)

  useEffect(() => {
    if (loading === skeleton) return
    const delay = loading ? quietMs : since.current + leastMs - performance.now()
    const timer = setTimeout(
      () => {
        since.current = performance.now()
        setSkeleton(loading)
      },
      Math.max(0, delay),
    )
    return () => clearTimeout(timer)
  }, [loading, skeleton])

  return { waiting: loading || skeleton, skeleton }
}
