import type { Instance } from '@ingot/contracts/instances'

/** What is not real about a machine, in one sentence; null when everything is. */
export function simulatedText({ hardware, shell }: Pick<Instance, 'hardware' | 'shell'>): string | null {
  if (hardware === 'real' && shell === 'real') return null
  if (shell === 'simulated')
    return 'Simulated: no machine stands behind it. The GPU and the shell answer as a real one would.'
  return 'Simulated GPU: the machine and its shell are real, the card that nvidia-smi reports is not.'
}
