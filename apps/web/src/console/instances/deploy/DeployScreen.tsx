import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { gpusQuery, regionsQuery } from '../../catalog/queries.ts'
import { useSearchState } from '../../list/search-state.ts'
import { useAuth } from '../../session/auth.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { DeployForm } from './DeployForm.tsx'
import { readDeploySearch } from './deploy-search.ts'
import { isBlank, lastDeploy } from './last/last-deploy.ts'
import { LastChoice } from './last/LastChoice.tsx'

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
  const userId = useAuth().user?.id ?? ''
  // Once, before anything is shown: later on the address is what was chosen.
  const [last] = useState(() => (isBlank(text) ? lastDeploy.get(userId) : null))
  const isWaiting = last !== null && Object.keys(last.choices).length > 0 && isBlank(text)
  useEffect(() => {
    if (isWaiting) change({ ...last?.choices, from: 'last' })
  }, [isWaiting, last, change])
  const waiting = {
    failed: 'The catalogue could not be loaded',
    skeleton: <Skeleton className="h-24" />,
    quietAge: true,
  }
  if (!text['templateId']) return <Navigate to="/console/instances" replace />
  if (isWaiting) return null
  return (
    <QueryView query={gpus} {...waiting}>
      {({ items: sold }) => (
        <QueryView query={regions} {...waiting}>
          {({ items: places }) => {
            const catalog = { gpus: sold, regions: places }
            return (
              <DeployForm
                catalog={catalog}
                state={readDeploySearch(text, catalog)}
                change={change}
                isSent={state => lastDeploy.keep(userId, state)}
              >
                {text['from'] === 'last' && (
                  <LastChoice
                    search={text}
                    onSale={catalog}
                    choices={readDeploySearch(text, catalog).choices}
                    change={change}
                  />
                )}
              </DeployForm>
            )
          }}
        </QueryView>
      )}
    </QueryView>
  )
}
