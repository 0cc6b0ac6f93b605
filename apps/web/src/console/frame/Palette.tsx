import { maxSearchText } from '@ingot/contracts/operation'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CommandPalette, type PaletteGroup } from '../../ui/CommandPalette.tsx'
import { useTheme } from '../../ui/use-theme.ts'
import { openDialog, openPicker } from '../instances/instances-search.ts'
import { instancesQuery, newestInstancesQuery } from '../instances/queries.ts'
import { signOut } from '../session/auth.tsx'
import { settingsSections } from '../accounts/settings-sections.ts'
import { adminPage, consolePages, goKeys } from './pages.ts'
import { useRole } from '../accounts/role.ts'
import { newestVolumesQuery, volumesQuery } from '../volumes/queries.ts'
import { openCreate } from '../volumes/volumes-search.ts'
import { useWallet } from '../wallet/wallet.tsx'

interface PaletteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onKeys: () => void
}

/** Pages, instances and volumes by name or id, and what can be done from anywhere. */
export function Palette({ open, onOpenChange, onKeys }: PaletteProps) {
  const [search, setSearch] = useState('')
  const groups: readonly PaletteGroup[] = [
    usePageGroup(),
    useInstanceGroup(search),
    useVolumeGroup(search),
    useActionGroup(onKeys),
    useSettingGroup(),
    docs,
  ]
  return (
    <CommandPalette
      open={open}
      onOpenChange={onOpenChange}
      onSearch={setSearch}
      groups={groups.filter(group => group.items.length > 0)}
    />
  )
}

function usePageGroup(): PaletteGroup {
  const navigate = useNavigate()
  const { isAdmin } = useRole()
  const pages = isAdmin ? [...consolePages, adminPage] : consolePages
  return {
    heading: 'Pages',
    items: pages.map(page => ({
      id: `page ${page.to}`,
      label: page.label,
      shortcut: goKeys(page),
      onSelect: () => void navigate({ to: page.to }),
    })),
  }
}

/** Those already here; when there are more than fit in one answer, the service searches too. */
function useInstanceGroup(search: string): PaletteGroup {
  const navigate = useNavigate()
  const newest = useQuery(newestInstancesQuery)
  const text = search.trim().slice(0, maxSearchText)
  const found = useQuery({
    ...instancesQuery({ search: text, limit: 10 }),
    enabled: text !== '' && newest.data?.next_cursor != null,
  })
  const items = new Map(
    [...(newest.data?.items ?? []), ...(found.data?.items ?? [])].map(each => [each.id, each]),
  )
  return {
    heading: 'Instances',
    items: [...items.values()].map(({ id, name, gpu_type, gpu_count, status }) => ({
      id,
      label: name,
      hint: `${gpu_count}× ${gpu_type}, ${status}`,
      keywords: [gpu_type],
      onSelect: () => void navigate({ to: '/console/instances', search: openDialog('details', id) }),
    })),
  }
}

function useVolumeGroup(search: string): PaletteGroup {
  const navigate = useNavigate()
  const newest = useQuery(newestVolumesQuery)
  const text = search.trim().slice(0, maxSearchText)
  const found = useQuery({
    ...volumesQuery({ search: text, limit: 10 }),
    enabled: text !== '' && newest.data?.next_cursor != null,
  })
  const items = new Map(
    [...(newest.data?.items ?? []), ...(found.data?.items ?? [])].map(each => [each.id, each]),
  )
  return {
    heading: 'Network Volumes',
    items: [...items.values()].map(({ id, name, region, size_gb }) => ({
      id,
      label: name,
      hint: `${size_gb} GB, ${region}`,
      onSelect: () => void navigate({ to: '/console/network-volumes/$id', params: { id } }),
    })),
  }
}

function useActionGroup(onKeys: () => void): PaletteGroup {
  const navigate = useNavigate()
  const { addFunds } = useWallet()
  const [, setTheme] = useTheme()
  return {
    heading: 'Actions',
    items: [
      {
        id: 'deploy',
        label: 'Deploy instance',
        keywords: ['create', 'new'],
        onSelect: () => void navigate({ to: '/console/instances', search: openPicker }),
      },
      {
        id: 'create-volume',
        label: 'Create Network Volume',
        keywords: ['new', 'disk', 'storage'],
        onSelect: () => void navigate({ to: '/console/network-volumes', search: openCreate }),
      },
      {
        id: 'add-funds',
        label: 'Add funds',
        keywords: ['deposit', 'usdt', 'wallet'],
        onSelect: () => addFunds(),
      },
      { id: 'theme-light', label: 'Theme: light', onSelect: () => setTheme('light') },
      { id: 'theme-dark', label: 'Theme: dark', onSelect: () => setTheme('dark') },
      { id: 'theme-system', label: 'Theme: as the system', onSelect: () => setTheme('system') },
      { id: 'keys', label: 'Keyboard shortcuts', shortcut: '?', onSelect: onKeys },
      { id: 'sign-out', label: 'Sign Out', onSelect: () => void signOut() },
    ],
  }
}

function useSettingGroup(): PaletteGroup {
  const navigate = useNavigate()
  const open = (hash: string, dialog?: string) => () =>
    void navigate({ to: '/console/settings', hash, search: dialog ? { dialog } : {} })
  return {
    heading: 'Settings',
    items: [
      ...settingsSections.map(({ id, label, keywords }) => ({
        id: `settings ${id}`,
        label,
        hint: 'Settings',
        keywords: ['settings', ...keywords],
        onSelect: open(id),
      })),
      { id: 'change-password', label: 'Change password', onSelect: open('security', 'password') },
      { id: 'login-sessions', label: 'Login sessions', onSelect: open('security', 'sessions') },
      { id: 'generate-key', label: 'Generate API key', onSelect: open('api', 'api-key') },
    ],
  }
}

const docs: PaletteGroup = {
  heading: 'Documentation',
  items: [
    { id: 'docs', label: 'Documentation', onSelect: () => location.assign('/documentation') },
    { id: 'docs-api', label: 'API reference', onSelect: () => location.assign('/docs/api') },
  ],
}
