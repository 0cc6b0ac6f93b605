import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { openPicker } from '../instances/instances-search.ts'
import { openCreate } from '../volumes/volumes-search.ts'

/** `isLeading`: deploying is the one thing to do here, unless something else must come first. */
export function QuickActions({ isLeading }: { readonly isLeading: boolean }) {
  return (
    <nav aria-label="Quick actions" className="flex flex-wrap gap-2">
      <Link
        to="/console/instances"
        search={openPicker}
        className={buttonClass(isLeading ? 'primary' : 'secondary')}
      >
        Deploy Instance
      </Link>
      <Link to="/console/network-volumes" search={openCreate} className={buttonClass()}>
        Create Network Volume
      </Link>
      <Link to="/console/templates" className={buttonClass()}>
        Browse Templates
      </Link>
      <a href="/documentation" className={buttonClass()}>
        Documentation
      </a>
    </nav>
  )
}
