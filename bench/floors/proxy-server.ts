/** The floor of a proxy: node:http in front of node:http, and nothing in between. As argument: the program's port. */
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })
const server = createServer((incoming, response) => {
  const { method, url: path, headers } = incoming
  const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, answer => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  incoming.pipe(outgoing)
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
