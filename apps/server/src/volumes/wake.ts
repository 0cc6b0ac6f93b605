import type { Signals } from '../worker/signals.ts'

/** After the commit: the loop has work and the owner has news. */
export const wakeVolumes =
  ({ signals }: { readonly signals: Signals }, userId: string) =>
  (): void => {
    for (const topic of ['network_volumes', 'volume_snapshots', 'wallets', `user:${userId}`] as const)
      signals.send(topic)
  }
