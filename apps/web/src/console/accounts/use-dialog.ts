import { useNavigate, useSearch } from '@tanstack/react-router'

type DialogName =
  | 'email'
  | 'password'
  | 'sessions'
  | 'api-key'
  | 'ssh-key'
  | 'totp'
  | 'phone'
  | 'security-key'
  | 'recovery-codes'
  | 'delete'

/** The open dialog stands in the address: a reload keeps it, Back closes it, and the palette can open it. */
export function useDialog(name: DialogName) {
  const search: { dialog?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = (dialog: DialogName | undefined) =>
    void navigate({
      to: '/console/settings',
      search: dialog ? { dialog } : {},
      hash: true,
      hashScrollIntoView: false,
      resetScroll: false,
      replace: !dialog,
    })
  return { isOpen: search.dialog === name, open: () => go(name), close: () => go(undefined) }
}
