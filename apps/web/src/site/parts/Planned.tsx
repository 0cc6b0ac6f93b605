import { StatusMark } from '../../ui/StatusMark.tsx'

export type State = 'available' | 'part' | 'planned'

/** Whether it can be had today. */
export function Availability({ state }: { readonly state: State }) {
  if (state === 'available') return <StatusMark kind="running">Available</StatusMark>
  if (state === 'part') return <StatusMark kind="attention">Available in part</StatusMark>
  return <StatusMark kind="stopped">Planned, not for sale yet</StatusMark>
}
