import type { Instance } from '@ingot/contracts/instances'
import type { Volume } from '@ingot/contracts/volumes'

/** Why an instance of its region can't have the volume now; null: it can. The server decides all the same. */
export function whyNotOn(
  { name, status, network_volume_id }: Pick<Instance, 'name' | 'status' | 'network_volume_id'>,
  { id, attaches_while_running }: Pick<Volume, 'id' | 'attaches_while_running'>,
): string | null {
  if (network_volume_id === id) return 'It has this volume.'
  if (network_volume_id !== null) return 'It has another volume. Detach that one first.'
  return status === 'running' && !attaches_while_running
    ? `Here a volume is attached while its instance is stopped. Stop ${name} first.`
    : null
}
