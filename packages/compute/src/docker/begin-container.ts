/** Starts a container and tells it on its input what it is to be. It goes on as long as it is told to by what is answered. */
import type { Duplex } from 'node:stream'
import type { Engine } from './engine.ts'

export async function beginContainer(engine: Engine, id: string, told: string): Promise<Duplex> {
  const input = await engine.hijack(`/containers/${id}/attach?stream=1&stdin=1`, null)
  input.on('error', () => input.destroy())
  input.resume()
  try {
    await engine.patient.getContainer(id).start()
  } catch (error) {
    input.destroy()
    throw error
  }
  input.write(told)
  return input
}
