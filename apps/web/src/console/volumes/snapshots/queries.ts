import { changedBy } from '@ingot/contracts/events'
import type { VolumeSnapshot } from '@ingot/contracts/volume/snapshots'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { type Page, usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'

const pageSize = 20
/** As many as one call may answer. */
const most = 100

export const useSnapshots = (id: string) =>
  usePages<VolumeSnapshot>({
    queryKey: ['volumes', 'snapshots', id],
    pageSize,
    fetch: ({ limit, cursor }, { signal }) => api.volumes.snapshots({ id, limit, cursor }, { signal }),
  })

export const snapshotQuery = (id: string) =>
  queryOptions({
    queryKey: ['volumes', 'snapshot', id],
    queryFn: ({ signal }) => api.volumes.snapshot({ id }, { signal }),
  })

/** Those whose volume is gone. No call answers them alone, so all of both are asked for: few have many. */
export const leftSnapshotsQuery = queryOptions({
  queryKey: ['volumes', 'left-snapshots'],
  queryFn: async ({ signal }) => {
    const [snapshots, volumes] = await Promise.all([
      everyOne(page => api.volumes.allSnapshots(page, { signal })),
      everyOne(page => api.volumes.list(page, { signal })),
    ])
    const there = new Set(volumes.map(({ id }) => id))
    return snapshots.filter(({ volume_id }) => !there.has(volume_id))
  },
})

async function everyOne<Row>(
  fetch: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | undefined; ;) {
    const page = await fetch({ limit: most, cursor })
    rows.push(...page.items)
    if (page.next_cursor === null) return rows
    cursor = page.next_cursor
  }
}

/** After an act on a snapshot: what shows snapshots, volumes and money is asked for again. */
export function useRefreshSnapshots(): () => void {
  const client = useQueryClient()
  return () => {
    for (const noun of changedBy.volume) void client.invalidateQueries({ queryKey: [noun] })
  }
}
