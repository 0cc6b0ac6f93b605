import { crumbsOf, parentOf } from './paths.ts'

/** The folders on the way to the one that is shown. */
export function Crumbs({ path, onGo }: { readonly path: string; readonly onGo: (to: string) => void }) {
  return (
    <nav aria-label="Folders" className="min-w-0">
      <ol className="flex flex-wrap items-center gap-1 font-mono text-code">
        {crumbsOf(path).map(({ name, path: to }, at) => (
          <li key={to} className="flex min-w-0 items-center gap-1">
            {at > 1 && (
              <span aria-hidden className="text-muted">
                /
              </span>
            )}
            {to === path ? (
              <span aria-current="page" className="break-all">
                {name}
              </span>
            ) : (
              <button
                type="button"
                className="link min-h-6 min-w-6 text-left break-all"
                aria-label={to === parentOf(path) ? `Up to ${to}` : undefined}
                onClick={() => onGo(to)}
              >
                {name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
