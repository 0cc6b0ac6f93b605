import { StatusMark } from '../../ui/StatusMark.tsx'

export type State = 'available' | 'works' | 'planned'

/** Whether it can be had today. */
export function Availability({ state }: { readonly state: State }) {
  if (state === 'available') return <StatusMark kind="running">Available</StatusMark>
  if (state === 'works') return <StatusMark kind="stopped">In the works</StatusMark>
  return <StatusMark kind="stopped">Planned, not for sale yet</StatusMark>
}
