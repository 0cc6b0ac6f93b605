/** A call about files, over a channel. */
import type { FilesCall } from '../wire/files.ts'
import { answerFiles } from './files.ts'
import type { Peer } from './peer.ts'

export async function serveFiles(peer: Peer, call: FilesCall): Promise<void> {
  peer.accept()
  // Input that was cut off has no end, and output has nobody: whoever waits for either gives up.
  peer.closed.addEventListener('abort', () => {
    peer.input.destroy()
    peer.output.destroy()
  })
  await peer.finish(await answerFiles(call, peer))
}
