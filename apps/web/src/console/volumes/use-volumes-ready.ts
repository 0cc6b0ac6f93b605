import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from '../../ui/toast.ts'
import { newestVolumesQuery } from './queries.ts'

/** Seen while they were being made, in this tab, on whichever screen. */
const making = new Set<string>()

/** Says when volumes that were seen as creating are there, or can't be made. The facts that are pushed fetch the list again. */
export function useVolumesReady(): void {
  const { data } = useQuery(newestVolumesQuery)
  useEffect(() => {
    const items = data?.items ?? []
    const ended = items.filter(({ id, status }) => status !== 'creating' && making.delete(id))
    for (const { id, status } of items) if (status === 'creating') making.add(id)
    const ready = ended.filter(({ status }) => status !== 'deleting')
    if (ready.length > 0) toast.success(`${ready.length} volume(s) are now available!`)
    for (const { status, status_message } of ended)
      if (status === 'deleting' && status_message) toast.error(`Failed to create volume: ${status_message}`)
  }, [data])
}
