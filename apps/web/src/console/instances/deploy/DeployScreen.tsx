import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { gpusQuery, regionsQuery } from '../../catalog/queries.ts'
import { useSearchState } from '../../list/search-state.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { DeployForm } from './DeployForm.tsx'
import { readDeploySearch } from './deploy-search.ts'

/** Others deploy too: stock is asked for again while somebody looks at it. */
const stockEveryMs = 15_000

/**
 * Two steps over one address: configure, then pay. Without a template there is nothing to configure, and without the
 * catalogue nothing that could be chosen or has a price.
 */
export function DeployScreen() {
  const [text, change] = useSearchState()
  const gpus = useQuery({ ...gpusQuery, refetchInterval: stockEveryMs })
  const regions = useQuery(regionsQuery)
  const waiting = {
    failed: 'The catalogue could not be loaded',
    skeleton: <Skeleton className="h-24" />,
    quietAge: true,
  }
  if (!text['templateId']) return <Navigate to="/console/instances" replace />
  return (
    <QueryView query={gpus} {...waiting}>
      {({ items: sold }) => (
        <QueryView query={regions} {...waiting}>
          {({ items: places }) => {
            const catalog = { gpus: sold, regions: places }
            return <DeployForm catalog={catalog} state={readDeploySearch(text, catalog)} change={change} />
          }}
        </QueryView>
      )}
    </QueryView>
  )
}
