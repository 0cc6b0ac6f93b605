import { useMutation } from '@tanstack/react-query'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'

/** Opens a port in a tab of its own. The tab is there before its address is, or browsers would take it for a pop-up. */
export function useOpenPort(id: string) {
  return useMutation({
    mutationFn: async ({ port, tab }: { readonly port: number; readonly tab: Window }) => {
      const { url } = await api.instances.openPort({ id, port })
      tab.location.replace(url)
    },
    onError: (error, { tab }) => {
      tab.close()
      toast.error(`The port could not be opened: ${sentence(errorText(error))}`)
    },
  })
}

/** Null: the browser refused, and the person was told. */
export function openTab(): Window | null {
  const tab = window.open('', '_blank')
  // The page there is a customer's program: it gets no hold of this one.
  if (tab) tab.opener = null
  else toast.error('The browser blocked the new tab. Allow this site to open tabs, then try again.')
  return tab
}
