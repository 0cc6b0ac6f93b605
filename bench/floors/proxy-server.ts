/**
 * The floor of a proxy: node:http in front of node:http, and nothing in between. Arguments: the program's port, and
 * `relay` where a process with a unix socket stands between, as one must where the program is in a machine.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createRelay } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [port, role, path] = process.argv.slice(2)
if (role === 'keeper') keep(path!)
else await serve()

function keep(socketPath: string): void {
  createRelay(socket => {
    const program = connect(Number(port), '127.0.0.1')
    socket.pipe(program).pipe(socket)
    for (const each of [socket, program])
      each.on('error', () => {
        socket.destroy()
        program.destroy()
      })
  }).listen(socketPath, () => process.send!('up'))
}

async function serve(): Promise<void> {
  const to = role === 'relay' ? { socketPath: await relay() } : { host: '127.0.0.1', port: Number(port) }
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming
    const outgoing = request({ ...to, agent, method, path: url, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
}

async function relay(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-floor-'))
  const socketPath = join(dir, 'relay')
  const keeper = fork(new URL(import.meta.url), [port!, 'keeper', socketPath])
  await once(keeper, 'message')
  process.on('SIGTERM', () => {
    keeper.kill()
    rmSync(dir, { recursive: true, force: true })
    process.exit()
  })
  return socketPath
}
