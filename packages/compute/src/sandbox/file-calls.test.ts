/** What is asked for wrongly goes nowhere, and a keeper that a customer has taken over is believed nothing. */
import type { Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type Answer, done, failed, type MachineFiles } from '../driver.ts'
import { createFileCalls } from './file-calls.ts'
import { asked, flood, welcome } from './testing/taken-over-keeper.ts'
import { openChannel } from './wire/channel.ts'
import { type FilesCall, maxFileCalls } from './wire/files.ts'
import { frame, frameType, jsonFrame } from './wire/frames.ts'

const nowhere = failed('lost', 'nobody was to be asked')

/** The files of a machine whose keeper does this with each call. */
const filesOf = (behaviour: (socket: Socket) => void, patienceMs = 5_000): MachineFiles =>
  createFileCalls(async () => {
    const contact = await asked(socket => {
      welcome(socket)
      behaviour(socket)
    })
    return done(openChannel(contact!))
  }, patienceMs)('taken-over')

/** Output and a last word. */
const says = (output: string, result: object) => (socket: Socket) => {
  socket.write(frame(frameType.output, Buffer.from(output)))
  socket.end(jsonFrame(frameType.result, result))
}

const entry = { name: 'file', kind: 'file', bytes: 4, modifiedAt: 0, mode: 0o644 }
const line = (change: object = {}) => `${JSON.stringify({ ...entry, ...change })}\n`
const doubted = { kind: 'failed', failure: 'transient' }

it.each([
  ['that is relative', 'x'],
  ['that is empty', ''],
  ['with a NUL', '/a\0b'],
  ['with a name that is too long', `/${'é'.repeat(128)}`],
  ['that is too long', `/${'x/'.repeat(2_048)}`],
  ['with half a character', '/half\ud800'],
])('a path %s is none', async (_, path) => {
  let calls = 0
  const files = createFileCalls(async () => {
    calls++
    return nowhere
  })('any')
  const answers: Answer<unknown>[] = [
    await files.list(path),
    await files.stat(path),
    await files.read(path),
    await files.write(path, Readable.from([])),
    await files.makeFolder(path),
    await files.rename(path, '/x'),
    await files.rename('/x', path),
    await files.remove(path),
  ]
  for (const answer of answers) expect(answer).toMatchObject({ failure: 'rejected', fault: 'bad_path' })
  expect(calls).toBe(0)
})

it('a place in a file is a whole number, and a page has its size', async () => {
  const asked: FilesCall[] = []
  const files = createFileCalls(async (_, call) => {
    asked.push(call)
    return nowhere
  })('any')
  for (const from of [-1, 0.5, NaN, 2 ** 53]) {
    expect(await files.read('/x', { from })).toMatchObject({ fault: 'bad_path' })
    expect(await files.read('/x', { length: from })).toMatchObject({ fault: 'bad_path' })
    expect(await files.write('/x', Readable.from([]), { from })).toMatchObject({ fault: 'bad_path' })
  }
  expect(await files.list('/x', { after: 'x'.repeat(1_000) })).toMatchObject({ fault: 'bad_path' })
  for (const limit of [0, -5, NaN, 1e9, undefined]) await files.list('/x', { limit })
  expect(asked.map(call => call.op === 'list' && call.limit)).toEqual([1_000, 1, 1_000, 1_000, 1_000])
})

it.each([
  ['of another folder', line({ name: '../file' })],
  ['without a name', line({ name: '' })],
  ['with half a character', line({ name: '\ud800' })],
  ['of no kind', line({ kind: 'door' })],
  ['of a size that is none', line({ bytes: -1 })],
  ['of a time that is none', line({ modifiedAt: 1e300 })],
  ['of a mode that is none', line({ mode: 0o200644 })],
  ['that is none', 'null\n'],
  ['that is no JSON', 'file\n'],
])('an entry %s is not believed', async (_, said) => {
  expect(await filesOf(says(said, { ok: true, hasMore: false })).list('/')).toMatchObject(doubted)
  expect(await filesOf(says(said, { ok: true, bytes: 4 })).read('/file')).toMatchObject(doubted)
  if (said.startsWith('{'))
    expect(
      await filesOf(says('', { ok: true, entry: JSON.parse(said) as object })).stat('/file'),
    ).toMatchObject(doubted)
})

it('a page with too many entries, out of order or from before is not believed; nothing beside an entry is handed on', async () => {
  const page = (...names: string[]) =>
    says(names.map(name => line({ name })).join(''), { ok: true, hasMore: true })
  expect(await filesOf(page('a', 'b')).list('/', { limit: 1 })).toMatchObject(doubted)
  expect(await filesOf(page('b', 'a')).list('/')).toMatchObject(doubted)
  expect(await filesOf(page('b')).list('/', { after: 'b' })).toMatchObject(doubted)
  expect(await filesOf(page()).list('/')).toEqual(done({ entries: [], hasMore: false }))
  expect(await filesOf(says(line({ more: 'secret' }), { ok: true, hasMore: false })).list('/')).toEqual(
    done({ entries: [entry], hasMore: false }),
  )
})

it.each([
  ['{ "ok": false, "fault": "toString" }', doubted],
  ['{ "ok": "yes" }', doubted],
  ['[]', doubted],
  ['{ "ok": false, "fault": "not_found" }', { failure: 'rejected', fault: 'not_found' }],
  ['{ "ok": false, "fault": "unfinished" }', { kind: 'not_yet' }],
])('the last word %s is understood as far as it is known', async (said, expected) => {
  const files = filesOf(socket => void socket.end(frame(frameType.result, Buffer.from(said))))
  expect(await files.remove('/x')).toMatchObject(expected)
  expect(await files.write('/x', Readable.from([]))).toMatchObject(expected)
})

it.each([
  ['more than was promised', 'much too much', { ok: true }],
  ['less', 'the', { ok: true }],
  ['all, and then that it failed', 'file', { ok: false, fault: 'unknown' }],
  ['all, and then nothing', 'file', null],
])('a file of which a keeper sends %s ends with an error', async (_, data, result) => {
  const files = filesOf(socket => {
    socket.write(frame(frameType.output, Buffer.from(line() + data)))
    if (result) socket.end(jsonFrame(frameType.result, result))
    else socket.end()
  })
  const read = await files.read('/file')
  if (read.kind !== 'done') throw new Error(JSON.stringify(read))
  await expect(text(read.value.data)).rejects.toThrow(/whole|More/)
})

it.each([
  ['the bytes', {}, 'the bytes'],
  ['the bytes', { from: 4, length: 3 }, 'byt'],
  ['', {}, ''],
  ['the bytes', { from: 100 }, ''],
])(
  'of a file with %j and the range %j a reader gets %j, also when all of it comes at once',
  async (content, range, part) => {
    const files = filesOf(says(line({ bytes: content.length }) + part, { ok: true, bytes: part.length }))
    for (let round = 0; round < 20; round++) {
      const read = await files.read('/file', range)
      if (read.kind !== 'done') throw new Error(JSON.stringify(read))
      expect(await text(read.value.data)).toBe(part)
    }
  },
)

it('a keeper that writes without end is left alone', async () => {
  const endless = (part: string) => (socket: Socket) =>
    flood(socket, frame(frameType.output, Buffer.alloc(64 * 1024, part)))
  expect(await filesOf(endless('x')).list('/')).toMatchObject(doubted)
  expect(await filesOf(endless('\n')).list('/')).toMatchObject(doubted)
  expect(await filesOf(endless('x')).read('/file')).toMatchObject(doubted)
  const errors = (socket: Socket) => flood(socket, frame(frameType.errors, Buffer.alloc(64 * 1024)))
  expect(await filesOf(errors, 200).stat('/')).toMatchObject(doubted)
})

it('a keeper that neither takes nor says anything is let go of, and so is a reader who does not read', async () => {
  const files = filesOf(() => {}, 100)
  expect(await files.list('/')).toMatchObject(doubted)
  expect(await files.stat('/')).toMatchObject(doubted)
  expect(await files.read('/file')).toMatchObject(doubted)
  expect(await files.remove('/file')).toMatchObject(doubted)
  const endless = Readable.from(
    (async function* () {
      for (;;) yield Buffer.alloc(64 * 1024)
    })(),
  )
  expect(await files.write('/file', endless)).toMatchObject(doubted)
  // It is its owner's.
  expect(endless.destroyed).toBe(false)
  const slow = await filesOf(
    socket => void socket.write(frame(frameType.output, Buffer.from(line()))),
    100,
  ).read('/file')
  if (slow.kind !== 'done') throw new Error(JSON.stringify(slow))
  await expect(text(slow.value.data)).rejects.toThrow(/not read on/)
})

it('data that is cut off is not taken for all of it', async () => {
  const taken: Buffer[] = []
  const files = filesOf(socket => {
    socket.on('data', (chunk: Buffer) => taken.push(chunk))
  })
  const data = new PassThrough()
  data.write('half')
  const written = files.write('/file', data)
  await expect.poll(() => Buffer.concat(taken).includes('half')).toBe(true)
  data.destroy(new Error('the browser has gone'))
  expect(await written).toMatchObject(doubted)
  expect(Buffer.concat(taken).includes(frame(frameType.end))).toBe(false)
  expect(await files.write('/file', data)).toMatchObject(doubted)
})

it('calls are as many at once as allowed, and each that ends makes room', async () => {
  let calls = 0
  const begun = (socket: Socket) => void socket.write(frame(frameType.output, Buffer.from(line())))
  const files = filesOf(socket =>
    ++calls > maxFileCalls ? says(line(), { ok: true })(socket) : begun(socket),
  )
  const held = await Promise.all(Array.from({ length: maxFileCalls }, () => files.read('/file')))
  expect(await files.stat('/')).toMatchObject(doubted)
  const [first] = held
  if (first?.kind !== 'done') throw new Error(JSON.stringify(first))
  first.value.data.destroy()
  await expect.poll(async () => (await files.list('/')).kind).toBe('done')
  for (const read of held) if (read.kind === 'done') read.value.data.destroy()
})
