/** What the driver and the agent in a machine agree on. */
import type { ChannelRequest } from '../../sandbox/wire/frames.ts'

/** `usage`: how much processor time the agent itself has taken. */
export type AgentRequest = ChannelRequest | { readonly kind: 'usage' }

const streamWindowBytes = 256 * 1024

/** What one side may send ahead on a stream. All streams together are bounded by their number. */
export const session = {
  settings: { initialWindowSize: streamWindowBytes, enablePush: false, maxConcurrentStreams: 300 },
  maxSessionMemory: 128,
} as const
export const sessionWindowBytes = 64 * 2 ** 20

export const toolsFolder = '/.ingot'
/** Runs a program of ours with libraries of ours, whatever the image has. */
export const own = (program: string): string[] => [
  `${toolsFolder}/lib/ld.so`,
  '--library-path',
  `${toolsFolder}/lib`,
  `${toolsFolder}/bin/${program}`,
]

/** In memory; made by whoever starts the machine (`input.ts`). */
export const runFolder = `${toolsFolder}/run`
export const variablesFile = `${runFolder}/variables.json`
