/** The least that tells one client what another wrote: what is posted goes out on every open stream. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const open = new Set<ServerResponse>()
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    open.add(response)
    response.on('close', () => open.delete(response))
    return
  }
  let body = ''
  request.on('data', part => (body += String(part)))
  request.on('end', () => {
    for (const each of open) each.write(`data: ${body}\n\n`)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
