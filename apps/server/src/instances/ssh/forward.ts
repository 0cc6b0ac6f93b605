/**
 * A connection to a port of the machine's own loopback, for `ssh -L` and `-D`. The driver makes it from inside the machine
 * and takes no host, and nothing here resolves or dials one: any other destination is refused.
 */
import type { AcceptConnection, RejectConnection, ServerChannel, TcpipRequestInfo } from 'ssh2'
import { relay } from './relay.ts'
import type { Inside } from './standing.ts'

const itself = new Set(['localhost', '127.0.0.1', '::1', '[::1]'])

export async function forward(
  { driver, ref, socket, over: connection }: Inside,
  accept: AcceptConnection<ServerChannel>,
  reject: RejectConnection,
  { destIP, destPort }: TcpipRequestInfo,
): Promise<void> {
  if (!itself.has(destIP.toLowerCase()) || destPort < 1 || destPort > 65_535) return reject()
  const answer = await driver.connect(ref, destPort)
  if (answer.kind !== 'done') return reject()
  const port = answer.value
  const channel = accept()
  // The client went away meanwhile.
  if (!channel) return void port.destroy()
  const over = new AbortController()
  const end = () => over.abort()
  connection.addEventListener('abort', end)
  channel.on('close', end).on('error', end)
  port.on('error', end)
  over.signal.addEventListener('abort', () => {
    connection.removeEventListener('abort', end)
    port.destroy()
    channel.destroy()
  })
  const sent = new Promise(resolve => channel.once('end', resolve))
  channel.pipe(port)
  await relay(port, channel, socket, over.signal)
  // The client may have more to say.
  channel.eof()
  await sent
  end()
}
