import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@ingot/sdk/client'
import { WebSocket } from 'ws'
import { until } from '../test-server.ts'

/** Types into the instance's terminal, waits for an answer, and returns what was shown. */
export async function typeInto(
  client: Client,
  productUrl: string,
  id: string,
  line: string,
  answer: RegExp,
  ms?: number,
): Promise<string> {
  const { url } = await client.instances.terminal({ id, terminal_id: 'kept' })
  const socket = new WebSocket(productUrl.replace('http', 'ws') + url)
  let text = ''
  socket.on('message', (data: Buffer, isBinary) => isBinary && (text += data.toString()))
  await new Promise(resolve => socket.once('open', resolve))
  await sleep(200)
  socket.send(Buffer.from(line))
  await until(
    async () => text,
    all => answer.test(all),
    ms,
  )
  socket.terminate()
  return text
}
