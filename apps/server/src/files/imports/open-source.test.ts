/** What an import asks of the internet, and what it refuses to. */
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSource } from './open-source.ts'
import { elsewhere, openTestSource, serving, somewhere, type TestSource } from './test-source.ts'

let source: TestSource
beforeAll(async () => {
  source = await openTestSource()
})
afterAll(() => source.close())
beforeEach(() => {
  source.connections.length = 0
  source.requests.length = 0
})

const body = Buffer.from('what is at the address')
const { signal } = new AbortController()
const open = (url: string, from = 0, tag: string | null = null, outside = source.outside) =>
  openSource(outside, new URL(url), { from, tag, signal })
const refused = (message: RegExp, isFinal: boolean) => ({ message: expect.stringMatching(message), isFinal })

describe('an address', () => {
  test('is asked by its name where that leads, once, without a cookie or a wish for compression', async () => {
    source.answer(serving(body))
    let asked = 0
    const outside = {
      ...source.outside,
      // The second answer of a name that changes is never heard.
      resolve: async () => (asked++ === 0 ? [somewhere] : ['127.0.0.1']),
    }
    const found = await open('https://files.example/a?b=c', 0, null, outside)
    expect(await buffer(found.body)).toEqual(body)
    expect(found).toMatchObject({ from: 0, total: body.length, tag: '"one"' })
    expect([asked, source.connections]).toEqual([1, [`${somewhere}:443`]])
    const { headers, url } = source.requests[0]!
    expect(url).toBe('/a?b=c')
    expect(headers).toEqual({
      host: 'files.example',
      'user-agent': 'ingot-import',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
    })
  })

  test.each([
    ['nothing but a private one', ['10.0.0.1']],
    ['a public and a private one', [somewhere, '10.0.0.1']],
    ['a public and a mapped one', [somewhere, '::ffff:127.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
  ])('whose name leads to %s is refused, and nothing is connected', async (_, addresses) => {
    source.names.set('inside.example', addresses)
    await expect(open('https://inside.example/')).rejects.toMatchObject(refused(/public internet/, true))
    expect(source.connections).toEqual([])
  })

  test('without an address, or with one where nobody answers, says so and may be asked again', async () => {
    await expect(open('https://nowhere.example/')).rejects.toMatchObject(refused(/has no address/, false))
    const outside = {
      ...source.outside,
      connect: () => source.outside.connect('x', 0).destroy(new Error('x')),
    }
    await expect(open('https://files.example/', 0, null, outside)).rejects.toMatchObject(
      refused(/does not answer/, false),
    )
  })

  test('is asked only of a server whose certificate is good, and is for its name', async () => {
    source.answer(serving(body))
    source.names.set('false.example', [somewhere])
    await expect(open('https://false.example/')).rejects.toMatchObject(refused(/certificate of false/, true))
    // An address has no name for a certificate to be of.
    await expect(open(`https://${somewhere}/`)).rejects.toMatchObject(refused(/certificate/, true))
    const outside = { ...source.outside, ca: null }
    await expect(open('https://files.example/', 0, null, outside)).rejects.toMatchObject(
      refused(/certificate of files.example is not valid/, true),
    )
    expect(source.requests).toEqual([])
  })

  test('goes on from a place where the server has the same file, and begins anew where not', async () => {
    source.answer(serving(body))
    const rest = await open('https://files.example/', 5, '"one"')
    expect([rest.from, rest.total, await buffer(rest.body)]).toEqual([5, body.length, body.subarray(5)])
    const other = await open('https://files.example/', 5, '"two"')
    expect([other.from, await buffer(other.body)]).toEqual([0, body])
    // A part that was not asked for.
    source.answer(({ headers }, response) =>
      headers.range === undefined
        ? response.end(body)
        : response.writeHead(206, { 'content-range': 'bytes 0-4/22' }).end('what '),
    )
    const anew = await open('https://files.example/', 5, '"one"')
    expect([anew.from, await buffer(anew.body)]).toEqual([0, body])
    source.answer(({ headers }, response) =>
      headers.range === undefined ? response.end(body) : response.writeHead(416).end(),
    )
    expect(await buffer((await open('https://files.example/', 50, '"one"')).body)).toEqual(body)
  })

  test('that answers otherwise is told; what may pass is asked again', async () => {
    source.answer(({ url }, response) => response.writeHead(Number(url!.slice(1))).end('no'))
    for (const status of [401, 403, 404, 410, 300, 204])
      await expect(open(`https://files.example/${status}`)).rejects.toMatchObject(
        refused(new RegExp(`files.example answers ${status}`), true),
      )
    for (const status of [408, 429, 500, 503])
      await expect(open(`https://files.example/${status}`)).rejects.toMatchObject(refused(/answers/, false))
  })

  test('ends when it is told to', async () => {
    source.answer(() => {})
    const ended = new AbortController()
    const opening = openSource(source.outside, new URL('https://files.example/'), {
      from: 0,
      tag: null,
      signal: ended.signal,
    })
    await expect.poll(() => source.requests.length).toBe(1)
    ended.abort()
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('what leads on', () => {
  const leadingTo = (...targets: string[]) =>
    source.answer((request, response) => {
      const at = Number(/^\/(\d+)$/.exec(request.url!)?.[1] ?? 0)
      if (at < targets.length) response.writeHead(302, { location: targets[at] }).end()
      else serving(body)(request, response)
    })

  test('is followed, by a name of its own', async () => {
    leadingTo('https://other.example/1', '/9')
    expect(await buffer((await open('https://files.example/0')).body)).toEqual(body)
    expect(source.connections).toEqual([`${somewhere}:443`, `${elsewhere}:443`, `${elsewhere}:443`])
    expect(source.requests.map(({ headers }) => headers.host)).toEqual([
      'files.example',
      'other.example',
      'other.example',
    ])
  })

  test.each([
    ['http', 'http://other.example/'],
    ['another port', 'https://other.example:8443/'],
    ['a name and a password', 'https://a:b@other.example/'],
    ['this machine', 'https://127.0.0.1/'],
    ['this machine in another form', 'https://0x7f.1/'],
    ['a mapped address', 'https://[::ffff:10.0.0.1]/'],
    ['a file', 'file:///etc/passwd'],
    ['nothing', 'https://'],
  ])('to %s is refused before it is asked', async (_, target) => {
    leadingTo(target)
    await expect(open('https://files.example/0')).rejects.toMatchObject(
      refused(/files.example leads on/, true),
    )
    expect(source.connections).toHaveLength(1)
  })

  test('to a name inside is refused, also of the name that was asked: it is looked up anew', async () => {
    source.names.set('inside.example', ['192.168.0.1'])
    leadingTo('https://inside.example/')
    await expect(open('https://files.example/0')).rejects.toMatchObject(refused(/public internet/, true))
    let asked = 0
    const outside = {
      ...source.outside,
      resolve: async () => (asked++ === 0 ? [somewhere] : ['192.168.0.1']),
    }
    leadingTo('/9')
    await expect(open('https://files.example/0', 0, null, outside)).rejects.toMatchObject(
      refused(/public internet/, true),
    )
    expect(source.connections).toEqual([`${somewhere}:443`, `${somewhere}:443`])
  })

  test('more than five times is refused', async () => {
    leadingTo('/1', '/2', '/3', '/4', '/5', '/6')
    await expect(open('https://files.example/0')).rejects.toMatchObject(refused(/more than 5 times/, true))
    expect(source.requests).toHaveLength(6)
    leadingTo('/1', '/2', '/3', '/4', '/5')
    expect(await buffer((await open('https://files.example/0')).body)).toEqual(body)
  })
})
