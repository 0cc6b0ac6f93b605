import { Link } from '@tanstack/react-router'
import { adminPages } from '../pages.ts'

/** Whatever has a page of its own. */
export function FurtherPages() {
  return (
    <nav aria-labelledby="further-pages" className="flex flex-col gap-2 border-t border-line pt-4">
      <h2 id="further-pages" className="text-heading">
        Further pages
      </h2>
      <ul className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
        {adminPages.map(({ to, label, purpose }) => (
          <li key={to}>
            <Link to={to} className="link inline-flex min-h-6 items-center">
              {label}
            </Link>
            <p className="text-label font-normal text-muted">{purpose}</p>
          </li>
        ))}
      </ul>
    </nav>
  )
}
