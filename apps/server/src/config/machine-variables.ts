/** How many machines run at a time. */
import { integer, type Values, type Variables } from './variable.ts'

export const machineCounts = {
  INGOT_MAX_CONTAINERS: integer({
    min: 1,
    max: 10_000,
    absent: 16,
    does: 'Running machines on each container engine; its memory may allow fewer.',
  }),
  INGOT_MAX_SANDBOXES: integer({
    min: 1,
    max: 10_000,
    absent: 16,
    does: 'Running machines on this host; memory may allow fewer.',
  }),
  INGOT_MAX_SIMULATED: integer({
    min: 1,
    max: 10_000,
    absent: 10_000,
    does: 'Running simulated machines; with few, a full region can be tried.',
  }),
} satisfies Variables

export const readMachineCounts = (given: Values<typeof machineCounts>) => ({
  maxContainers: given.INGOT_MAX_CONTAINERS,
  maxSandboxes: given.INGOT_MAX_SANDBOXES,
  maxSimulated: given.INGOT_MAX_SIMULATED,
})
/** Containers on each engine. */
export type MachineCounts = ReturnType<typeof readMachineCounts>
