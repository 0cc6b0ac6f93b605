import { maxSearchText } from '@ingot/contracts/operation'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CommandPalette, type PaletteGroup, type PaletteItem } from '../../../ui/CommandPalette.tsx'
import { useTheme } from '../../../ui/use-theme.ts'
import { adminPages } from '../../admin/pages.ts'
import { type AdminDialog, opening } from '../../admin/tabs/tab-search.ts'
import type { SearchText } from '../../list/search-state.ts'
import { useSettled } from '../../list/use-settled.ts'
import { signOut } from '../../session/auth.tsx'
import { api } from '../../shell/api.ts'

interface AdminPaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onKeys: () => void
}

/** Users, instances, volumes and tickets of everybody, found by the service; pages of administration; what can be done from each. */
export function AdminPalette({ open, onOpenChange, onKeys }: AdminPaletteProps) {
  const [typed, setTyped] = useState('')
  const search = useSettled(typed.trim().slice(0, maxSearchText))
  const groups: readonly PaletteGroup[] = [
    ...useFoundGroups(open ? search : ''),
    usePageGroup(),
    useActionGroup(onKeys),
  ]
  return (
    <CommandPalette
      open={open}
      onOpenChange={onOpenChange}
      onSearch={setTyped}
      groups={groups.filter(group => group.items.length > 0)}
    />
  )
}

const few = 5

function useFoundGroups(search: string): readonly PaletteGroup[] {
  const navigate = useNavigate()
  const { data } = useQuery({
    queryKey: ['admin', 'found', search],
    queryFn: ({ signal }) => find(search, signal),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  })
  if (!data || search === '') return []
  const item = (dialog: AdminDialog, id: string, label: string, hint: string): PaletteItem => ({
    id,
    label,
    hint,
    // Whatever the service found by it, though its name may say nothing of it.
    keywords: [search],
    onSelect: () =>
      void navigate({
        to: '/admin',
        search: (before: SearchText) => ({ ...before, ...opening(dialog, id) }),
      }),
  })
  return [
    {
      heading: 'Users',
      items: data.users.map(({ id, email, role }) => item('user', id, email ?? id, role)),
    },
    {
      heading: 'Instances',
      items: data.instances.map(({ id, name, user_email, status }) =>
        item('instance', id, name, `${user_email ?? 'deleted account'}, ${status}`),
      ),
    },
    {
      heading: 'Network Volumes',
      items: data.volumes.map(({ id, name, user_email, status }) =>
        item('volume', id, name, `${user_email ?? 'deleted account'}, ${status}`),
      ),
    },
    {
      heading: 'Tickets',
      items: data.tickets.map(({ id, title, user_email, status }) =>
        item('ticket', id, title, `${user_email ?? 'deleted account'}, ${status.replace('_', '-')}`),
      ),
    },
  ]
}

async function find(search: string, signal: AbortSignal) {
  const wanted = [{ search, limit: few }, { signal }] as const
  const [users, instances, volumes, tickets] = await Promise.all([
    api.admin.users(...wanted),
    api.admin.instances(...wanted),
    api.admin.volumes(...wanted),
    api.support.staffList(...wanted),
  ])
  return {
    users: users.items,
    instances: instances.items,
    volumes: volumes.items,
    tickets: tickets.items,
  }
}

function usePageGroup(): PaletteGroup {
  const navigate = useNavigate()
  return {
    heading: 'Pages',
    items: [{ to: '/admin', label: 'Overview', purpose: '' }, ...adminPages].map(page => ({
      id: `page ${page.to}`,
      label: page.label,
      hint: page.purpose,
      onSelect: () => void navigate({ to: page.to }),
    })),
  }
}

function useActionGroup(onKeys: () => void): PaletteGroup {
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  return {
    heading: 'Actions',
    items: [
      {
        id: 'console',
        label: 'Back to Console',
        keywords: ['dashboard'],
        onSelect: () => void navigate({ to: '/console' }),
      },
      { id: 'theme-light', label: 'Theme: light', onSelect: () => setTheme('light') },
      { id: 'theme-dark', label: 'Theme: dark', onSelect: () => setTheme('dark') },
      { id: 'theme-system', label: 'Theme: as the system', onSelect: () => setTheme('system') },
      { id: 'keys', label: 'Keyboard shortcuts', shortcut: '?', onSelect: onKeys },
      { id: 'sign-out', label: 'Sign Out', onSelect: () => void signOut() },
    ],
  }
}
