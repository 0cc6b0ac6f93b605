import type { HostEntry } from '@ingot/contracts/catalog-calls'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Time } from '../../../ui/Time.tsx'

/** What is wrong with it comes before what was ordered of it. */
export function HostState({ host: { state, seen_at, maintenance } }: { readonly host: HostEntry }) {
  if (state === 'silent')
    return (
      <StatusMark
        kind="failed"
        detail={
          <>
            last heard <Time at={seen_at} />
          </>
        }
      >
        Silent
      </StatusMark>
    )
  if (maintenance === null) return <StatusMark kind="running">Ready</StatusMark>
  const { state: kind } = maintenance
  return kind === 'cordoned' ? (
    <StatusMark kind="attention">Cordoned</StatusMark>
  ) : kind === 'draining' ? (
    <StatusMark kind="attention" detail="planned">
      Draining
    </StatusMark>
  ) : (
    <StatusMark kind="stopped">Drained</StatusMark>
  )
}
