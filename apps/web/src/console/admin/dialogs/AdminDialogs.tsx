import { useSearchState } from '../../list/search-state.ts'
import { readId } from '../../list/read-search.ts'
import { closing, readTab } from '../tabs/tab-search.ts'
import { InstanceDialog } from './InstanceDialog.tsx'
import { TicketDialog } from './TicketDialog.tsx'
import { UserDialog } from './UserDialog.tsx'
import { VolumeDialog } from './VolumeDialog.tsx'

/** Whatever the address says is looked at, over the page. */
export function AdminDialogs() {
  const [address, change] = useSearchState()
  const close = () => change(closing)
  const user = readId(address['user'])
  const instance = readId(address['instance'])
  const volume = readId(address['volume'])
  // Among the tickets the chosen one stands beside its list.
  const ticket = readTab(address) === 'support' ? undefined : readId(address['ticket'])
  if (user) return <UserDialog key={user} id={user} onClose={close} />
  if (instance) return <InstanceDialog key={instance} id={instance} onClose={close} />
  if (volume) return <VolumeDialog key={volume} id={volume} onClose={close} />
  if (ticket) return <TicketDialog key={ticket} id={ticket} onClose={close} />
  return null
}
