import { Navigate } from '@tanstack/react-router'
import { useSearchState } from '../../list/search-state.ts'
import { DeployForm } from './DeployForm.tsx'
import { readDeploySearch } from './deploy-search.ts'

/** Two steps over one address: configure, then pay. Without a template there is nothing to configure. */
export function DeployScreen() {
  const [text, change] = useSearchState()
  if (!text['templateId']) return <Navigate to="/console/instances" replace />
  return <DeployForm state={readDeploySearch(text)} change={change} />
}
