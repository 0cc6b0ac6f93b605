/** An internet of its own for tests: names, addresses and one https server behind all of them. */
import { execSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outside } from './outside.ts'

/** Two addresses that may be asked. */
export const somewhere = '93.184.215.14'
export const elsewhere = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'

function certificates() {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-certificates-'))
  const run = (line: string) => execSync(line, { cwd: dir, stdio: 'pipe' })
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'
  try {
    run(`openssl req -x509 ${key} -subj /CN=ca -keyout ca.key -out ca.pem`)
    run(
      `openssl req -x509 ${key} -subj /CN=server -CA ca.pem -CAkey ca.key -addext subjectAltName=DNS:files.example,DNS:other.example -addext basicConstraints=critical,CA:FALSE -keyout server.key -out server.pem`,
    )
    const read = (name: string) => readFileSync(join(dir, name), 'utf8')
    return { ca: read('ca.pem'), key: read('server.key'), cert: read('server.pem') }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

export interface TestSource {
  readonly outside: Outside
  readonly port: number
  readonly ca: string
  /** What names lead to; more names are added by tests. A list of lists: one answer after the other. */
  readonly names: Map<string, readonly string[]>
  /** `address:port` of each connection, and each request. */
  readonly connections: string[]
  readonly requests: IncomingMessage[]
  answer(by: (request: IncomingMessage, response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function openTestSource(): Promise<TestSource> {
  const { ca, ...own } = certificates()
  let handler: RequestListener = (_, response) => response.writeHead(404).end()
  const requests: IncomingMessage[] = []
  const server = createServer(own, (request, response) => {
    requests.push(request)
    handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const names = new Map<string, readonly string[]>([
    ['files.example', [somewhere]],
    ['other.example', [elsewhere]],
  ])
  const connections: string[] = []
  return {
    outside: {
      resolve: async name => names.get(name) ?? [],
      connect(address, asked) {
        connections.push(`${address}:${asked}`)
        return connect({ host: '127.0.0.1', port })
      },
      ca,
    },
    port,
    ca,
    names,
    connections,
    requests,
    answer: by => void (handler = by),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Serves these bytes as a good server does, parts of them too; `cutAfter`: breaks off the first answer there. */
export function serving(
  body: Buffer,
  { cutAfter = Infinity, tag = '"one"' as string | null }: { cutAfter?: number; tag?: string | null } = {},
) {
  let isFirst = true
  return (request: IncomingMessage, response: ServerResponse) => {
    const [, start] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
    const from = tag !== null && request.headers['if-range'] === tag ? Number(start) : 0
    const headers = {
      'content-length': body.length - from,
      ...(tag === null ? {} : { etag: tag, 'accept-ranges': 'bytes' }),
    }
    if (from > 0)
      response.writeHead(206, {
        ...headers,
        'content-range': `bytes ${from}-${body.length - 1}/${body.length}`,
      })
    else response.writeHead(200, headers)
    if (isFirst && cutAfter < body.length) {
      isFirst = false
      response.write(body.subarray(from, cutAfter), () => setTimeout(() => response.destroy(), 50))
    } else response.end(body.subarray(from))
  }
}
