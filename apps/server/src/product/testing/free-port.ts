import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that nothing listens at, and that stays so while a test holds on to it: it lies below those that Linux hands
 * out by itself (32768 to 60999), to a client of another test for example while a product stops and starts again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    const server = createServer().listen(port)
    const taken = await once(server, 'listening').then(
      () => false,
      error => {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
        return true
      },
    )
    if (taken) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
