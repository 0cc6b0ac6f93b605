import type { HostDetails } from '@ingot/contracts/admin/machines'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button-class.ts'
import { Time } from '../../../ui/Time.tsx'

/** When it was not to be had, and what its driver could not begin. */
export function HostHistory({ host: { id, outages, errors } }: { readonly host: HostDetails }) {
  return (
    <section aria-label="How it has been" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-heading">How it has been</h2>
        <Link to="/admin/placements" search={{ host: id }} className={buttonClass()}>
          Decisions about places here
        </Link>
      </div>
      {outages.length + errors.length === 0 ? (
        <p className="text-muted">It was never away, and its driver began every start.</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {outages.map(({ from, to, is_maintenance }) => (
            <li key={from}>
              {is_maintenance ? 'Maintained' : 'Away'} from <Time at={from} exact />{' '}
              {to ? (
                <>
                  to <Time at={to} exact />
                </>
              ) : (
                'until now'
              )}
            </li>
          ))}
          {errors.map(({ at, instance_id, message }) => (
            <li key={`${at}${instance_id}`} className="break-words">
              <Time at={at} exact />, instance {instance_id.slice(0, 8)}: {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
