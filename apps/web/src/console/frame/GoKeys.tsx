import { useNavigate } from '@tanstack/react-router'
import { useShortcut } from '../../ui/shortcuts.ts'
import { adminPage, type ConsolePage, consolePages } from './pages.ts'
import { useRole } from '../accounts/role.ts'

/** G, then a letter: each page of the sidebar. */
export function GoKeys() {
  const { isAdmin } = useRole()
  return [...consolePages, ...(isAdmin ? [adminPage] : [])].map(page => <GoKey key={page.to} page={page} />)
}

function GoKey({ page }: { readonly page: ConsolePage }) {
  const navigate = useNavigate()
  useShortcut(`g ${page.key}`, () => void navigate({ to: page.to }))
  return null
}
