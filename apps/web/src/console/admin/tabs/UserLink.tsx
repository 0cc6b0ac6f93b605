import { Link } from '@tanstack/react-router'
import type { SearchText } from '../../list/search-state.ts'
import { opening } from './tab-search.ts'

interface UserLinkProps {
  readonly id: string
  /** Null: the account is deleted. */
  readonly email: string | null
  /** From a page that has no dialogs of its own. */
  readonly to?: '.' | '/admin'
}

/** Whose it is, with the way to who that is. */
export function UserLink({ id, email, to = '.' }: UserLinkProps) {
  const name = email ?? 'deleted account'
  return (
    <Link
      to={to}
      search={(before: SearchText) => ({ ...(to === '.' && before), ...opening('user', id) })}
      resetScroll={false}
      title={name}
      className="inline-flex min-h-6 max-w-full items-center align-middle text-muted hover:text-ink hover:underline"
    >
      <span className="truncate">{name}</span>
    </Link>
  )
}
