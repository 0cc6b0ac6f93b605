import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { setClockOffset } from '../../ui/use-now.ts'
import { api } from '../shell/api.ts'

const askEveryMs = 15_000

/** A development service can move its clock on: then every "ago" and every running figure follows it. */
export function useServiceClock(isTestNetwork: boolean): void {
  const { data } = useQuery({
    queryKey: ['dev', 'clock'],
    queryFn: ({ signal }) => api.dev.time({}, { signal }),
    enabled: isTestNetwork,
    retry: false,
    // Not there: the service is a test cloud on a public address, and its clock stands still with ours.
    refetchInterval: query => (query.state.error ? false : askEveryMs),
  })
  const offsetMs = data?.offset_ms ?? 0
  useEffect(() => setClockOffset(offsetMs), [offsetMs])
}
