/** Files that the service fetches to an instance or a volume, also while nobody looks. */
import type { FileImport } from '@ingot/contracts/files'
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../shell/api.ts'
import { parentOf } from './paths.ts'
import { folderKey } from './queries.ts'
import type { FileSource } from './source.ts'

/** While one is under way, and while none is: somebody may begin one elsewhere. */
const askMs = { live: 1_000, idle: 30_000 }

export const isUnderWay = ({ state }: FileImport): boolean => state === 'waiting' || state === 'running'

const importsQuery = ({ kind, id }: FileSource) =>
  queryOptions({
    queryKey: ['files', id, 'imports'] as const,
    queryFn: async ({ signal }) => (await api[kind].imports({ id }, { signal })).items,
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? askMs.live : askMs.idle),
  })

export const refetchImports = (client: QueryClient, source: FileSource): Promise<void> =>
  client.invalidateQueries({ queryKey: importsQuery(source).queryKey })

/** A folder that one has come to is read again. */
export function useImports(source: FileSource): readonly FileImport[] {
  const { data = [] } = useQuery(importsQuery(source))
  const client = useQueryClient()
  const before = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    for (const { id, state, path } of data)
      if (state === 'done' && before.current.has(id))
        void client.invalidateQueries({ queryKey: folderKey(source.id, parentOf(path)), exact: true })
    before.current = new Set(data.filter(isUnderWay).map(({ id }) => id))
  }, [client, data, source.id])
  return data
}
