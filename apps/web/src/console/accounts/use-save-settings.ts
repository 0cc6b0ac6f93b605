import type { UserSettings } from '@ingot/contracts/accounts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../ui/toast.ts'
import { api, settingsQuery } from '../shell/api.ts'

/** Saves some of the preferences. Whoever calls keeps the edits until they are saved. */
export function useSaveSettings(onSaved: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: Partial<UserSettings>) => api.accounts.updateSettings(changes),
    onSuccess: saved => {
      client.setQueryData(settingsQuery.queryKey, saved)
      onSaved()
      toast.success('Settings updated successfully!')
    },
    onError: () => toast.error('Failed to update settings'),
  })
}
