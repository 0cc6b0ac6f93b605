import type { Instance, ListedStatus } from '@ingot/contracts/instances'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'

/** More at once nobody can look over. */
const most = 500

interface SelectAllMatchingProps {
  readonly filter: { readonly search: string | undefined; readonly status: ListedStatus | undefined }
  readonly onSelect: (instances: readonly Instance[]) => void
}

/** All that match the filter, also those on other pages. */
export function SelectAllMatching({ filter, onSelect }: SelectAllMatchingProps) {
  const all = useMutation({
    mutationFn: async () => {
      const found: Instance[] = []
      let cursor: string | null | undefined
      do {
        const page = await api.instances.list({ ...filter, limit: 100, ...(cursor ? { cursor } : {}) })
        found.push(...page.items)
        cursor = page.next_cursor
      } while (cursor !== null && found.length < most)
      return { found: found.slice(0, most), isCut: cursor !== null || found.length > most }
    },
    onSuccess: ({ found, isCut }) => {
      onSelect(found)
      if (isCut) toast.info(`The newest ${most} are selected; there are more.`)
    },
    onError: error => toast.error(errorText(error)),
  })
  return (
    <Button busy={all.isPending} onClick={() => all.mutate()}>
      Select all that match
    </Button>
  )
}
