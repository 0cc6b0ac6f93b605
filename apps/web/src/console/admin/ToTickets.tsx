import { Navigate } from '@tanstack/react-router'
import type { SearchText } from '../list/search-state.ts'

/** The tickets are a tab of the overview; links from mails and elsewhere keep what they say of which ticket. */
export function ToTickets() {
  return <Navigate to="/admin" search={(before: SearchText) => ({ ...before, tab: 'support' })} replace />
}
