/** Ends a shell that this window is not connected to: joins it, and says that it is to end. */
import { api } from '../../shell/api.ts'
import { endMessage, socketAt } from './terminal-client.ts'

const withinMs = 10_000

/** Nothing waits for it. Where it fails, the shell stays until the instance stops or makes room for another. */
export async function endShell(instanceId: string, terminalId: string): Promise<void> {
  const { url } = await api.instances.terminal({ id: instanceId, terminal_id: terminalId })
  const socket = socketAt(`${url}&cols=80&rows=24`)
  const timer = setTimeout(() => socket.close(), withinMs)
  // Its first word is that the shell is there.
  socket.addEventListener('message', () => socket.send(endMessage), { once: true })
  socket.addEventListener('close', () => clearTimeout(timer))
}
