/** Both designs keep the contract that every driver keeps, as root and as an ordinary user. */
import { expect, it } from 'vitest'
import { describeDriver } from '../conformance.ts'
import { createSandboxDriver } from './driver.ts'
import { designs } from './launch/launch.ts'
import { runAsUser } from './testing/as-user.ts'
import { designsHere } from './testing/sandbox.ts'

// Beside the rest, because both mostly wait.
const byUser = runAsUser([
  'conformance',
  'isolation',
  'crash',
  'files',
  'clerk',
  'swaps',
  'launch/launcher',
  'spares',
  'volumes/volumes',
])

for (const design of designs)
  describeDriver(`sandbox by ${design}`, dir => createSandboxDriver({ dir, design, maxMachines: 4 }), {
    skip: designsHere.includes(design) ? null : 'it does not work on this machine',
  })

it('an ordinary user gets the same', { timeout: 200_000 }, async context => {
  if (typeof byUser === 'string') return context.skip(byUser)
  const { code, printed } = await byUser
  expect(code, printed).toBe(0)
})
