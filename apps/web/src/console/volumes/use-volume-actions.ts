import { IngotError } from '@ingot/contracts/errors'
import { parseUsd } from '@ingot/contracts/money'
import type { Volume } from '@ingot/contracts/volumes'
import { useMutation } from '@tanstack/react-query'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { missingFor } from '../wallet/amount.ts'
import { useRunway, useWallet } from '../wallet/wallet.tsx'
import { useKeepVolume } from './queries.ts'

/** What needs no dialog: nothing is lost by it. */
export function useVolumeActions({ id, name, monthly_cost }: Volume) {
  const keep = useKeepVolume()
  const { addFunds } = useWallet()
  const { funds } = useRunway()
  const detach = useMutation({
    mutationFn: () => api.volumes.detach({ id }),
    onSuccess: volume => {
      keep(volume)
      toast.success('Volume detached successfully')
    },
    onError: error => toast.error(`Failed to detach volume: ${errorText(error)}`),
  })
  const revive = useMutation({
    mutationFn: () => api.volumes.revive({ id }),
    onSuccess: volume => {
      keep(volume)
      toast.success(`The month of ${name} is paid.`)
    },
    onError: error =>
      toast.error(
        `Failed to restore volume: ${errorText(error)}`,
        error instanceof IngotError && error.code === 'insufficient_funds'
          ? {
              action: {
                label: 'Add funds',
                onClick: () => addFunds(missingFor(parseUsd(monthly_cost), funds)),
              },
            }
          : undefined,
      ),
  })
  return { detach, revive }
}
