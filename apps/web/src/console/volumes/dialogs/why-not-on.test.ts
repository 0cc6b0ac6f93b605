import { expect, it } from 'vitest'
import { whyNotOn } from './why-not-on.ts'

const volume = { id: 'v', attaches_while_running: false }
const instance = { name: 'train', status: 'stopped', network_volume_id: null } as const

it.each([
  [instance, volume, null],
  [{ ...instance, status: 'running' }, volume, /while its instance is stopped. Stop train first/],
  [{ ...instance, status: 'running' }, { ...volume, attaches_while_running: true }, null],
  [{ ...instance, network_volume_id: 'w' }, volume, /another volume/],
  [{ ...instance, network_volume_id: 'v' }, volume, /has this volume/],
] as const)('%j for %j: %s', (on, of, reason) => {
  const said = whyNotOn(on, of)
  if (reason === null) expect(said).toBeNull()
  else expect(said).toMatch(reason)
})
