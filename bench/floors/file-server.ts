/** The floor of an upload and a download: node:http, and a file. Argument: the file. */
import { createReadStream, createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

const file = process.argv[2]!
const server = createServer(async (request, response) => {
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file))
    response.end()
  } else await pipeline(createReadStream(file), response)
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
