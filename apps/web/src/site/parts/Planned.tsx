import { StatusMark } from '../../ui/StatusMark.tsx'

export type State = 'available' | 'works' | 'planned'

/** Whether one can have it today. */
export function Availability({ state }: { readonly state: State }) {
  if (state === 'available') return <StatusMark kind="running">Available</StatusMark>
  if (state === 'works') return <StatusMark kind="stopped">In the works</StatusMark>
  return <StatusMark kind="stopped">Planned, not for sale yet</StatusMark>
}
