import { IngotError } from '@ingot/contracts/errors'
import { expect, test } from 'vitest'
import {
  ackEveryBytes,
  createTerminalClient,
  maxFrameBytes,
  type TerminalPhase,
  type TerminalSocket,
} from './terminal-client.ts'

class FakeSocket extends EventTarget {
  binaryType: BinaryType = 'blob'
  readonly sent: (string | Uint8Array)[] = []
  closedWith: number | undefined
  send(data: string | Uint8Array): void {
    this.sent.push(data)
  }
  close(code: number): void {
    this.closedWith = code
  }
  text(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }
  bytes(...bytes: number[] | [Uint8Array]): void {
    const data = bytes[0] instanceof Uint8Array ? bytes[0] : Uint8Array.from(bytes as number[])
    this.dispatchEvent(new MessageEvent('message', { data: data.buffer }))
  }
  drop(code = 1006): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }
  controls(type: string): Record<string, unknown>[] {
    return this.sent
      .filter(each => typeof each === 'string')
      .map(each => JSON.parse(each) as Record<string, unknown>)
      .filter(each => each['type'] === type)
  }
  frames(): Uint8Array[] {
    return this.sent.filter(each => typeof each !== 'string')
  }
}

/** Lets what was promised happen. */
const settle = () => new Promise(resolve => setTimeout(resolve))

function setUp() {
  const sockets: FakeSocket[] = []
  const urls: string[] = []
  const phases: TerminalPhase[] = []
  const drawn: Uint8Array[] = []
  const drawings: (() => void)[] = []
  const waits: { ms: number; run: () => void; cancelled: boolean }[] = []
  const state = { tickets: 0, clears: 0, size: { cols: 80, rows: 24 }, refuse: null as unknown }
  const client = createTerminalClient({
    openTicket: async () => {
      state.tickets++
      if (state.refuse) throw state.refuse
      return `/v1/terminal?ticket=${state.tickets}`
    },
    openSocket: url => {
      urls.push(url)
      const socket = new FakeSocket()
      sockets.push(socket)
      return socket as unknown as TerminalSocket
    },
    size: () => state.size,
    clear: () => void state.clears++,
    draw: (bytes, done) => {
      drawn.push(bytes)
      drawings.push(done)
    },
    onPhase: phase => phases.push(phase),
    wait: (ms, then) => {
      const entry = { ms, run: then, cancelled: false }
      waits.push(entry)
      return () => void (entry.cancelled = true)
    },
  })
  const connect = async () => {
    client.connect()
    await settle()
    sockets.at(-1)!.text({ type: 'ready' })
    // A shell that says nothing for a while is there all the same.
    waits.at(-1)!.run()
    return sockets.at(-1)!
  }
  /** The retry that waits now. */
  const retry = async () => {
    const due = waits.filter(each => !each.cancelled).at(-1)!
    due.cancelled = true
    due.run()
    await settle()
    return sockets.at(-1)!
  }
  return { client, connect, retry, sockets, urls, phases, drawn, drawings, waits, state }
}

test('a connection carries its ticket and size, and is connected when the shell is', async () => {
  const { client, sockets, urls, phases } = setUp()
  client.connect()
  await settle()
  expect(urls).toEqual(['/v1/terminal?ticket=1&cols=80&rows=24&flow=ack'])
  expect(sockets[0]!.binaryType).toBe('arraybuffer')
  expect(phases).toEqual([{ kind: 'connecting' }])
  sockets[0]!.text({ type: 'ready' })
  expect(phases).toEqual([{ kind: 'connecting' }])
  sockets[0]!.bytes(36, 32)
  expect(phases.at(-1)).toEqual({ kind: 'connected' })
  expect(phases).toHaveLength(2)
})

test('a shell that writes nothing is connected all the same, and one that ends at once has ended', async () => {
  const { client, sockets, phases, waits } = setUp()
  client.connect()
  await settle()
  sockets[0]!.text({ type: 'ready' })
  expect(waits.filter(each => !each.cancelled).map(each => each.ms)).toEqual([3000])
  waits.at(-1)!.run()
  expect(phases.at(-1)).toEqual({ kind: 'connected' })
  client.close()
  client.connect()
  await settle()
  sockets[1]!.text({ type: 'ready' })
  sockets[1]!.drop(1000)
  expect(phases.at(-1)).toEqual({ kind: 'disconnected', why: 'ended' })
})

test('output is acknowledged once it is drawn, not before, and in portions', async () => {
  const { connect, drawings } = setUp()
  const socket = await connect()
  socket.bytes(new Uint8Array(ackEveryBytes - 1))
  socket.bytes(new Uint8Array(10))
  expect(socket.controls('ack')).toEqual([])
  drawings[0]!()
  expect(socket.controls('ack')).toEqual([])
  drawings[1]!()
  expect(socket.controls('ack')).toEqual([{ type: 'ack', bytes: ackEveryBytes + 9 }])
})

test('the old screen stays until the first output of the new connection replaces it', async () => {
  const { connect, retry, state } = setUp()
  const first = await connect()
  first.bytes(65)
  first.bytes(66)
  expect(state.clears).toBe(1)
  first.drop()
  const second = await retry()
  second.text({ type: 'ready' })
  expect(state.clears).toBe(1)
  second.bytes(67)
  expect(state.clears).toBe(2)
})

test('a dropped connection is tried again with a new ticket, each time later, up to ten seconds', async () => {
  const { connect, retry, waits, state, phases } = setUp()
  ;(await connect()).drop()
  const delays: number[] = []
  for (let i = 0; i < 7; i++) {
    delays.push(waits.filter(each => !each.cancelled).at(-1)!.ms)
    ;(await retry()).drop()
  }
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  expect(state.tickets).toBe(8)
  expect(phases.at(-1)).toMatchObject({ kind: 'waiting', message: null })
  const back = await retry()
  back.text({ type: 'ready' })
  back.drop()
  expect(waits.filter(each => !each.cancelled).at(-1)!.ms).toBe(500)
})

test('what the service says about a refused attach is kept for the screen', async () => {
  const { client, sockets, phases } = setUp()
  client.connect()
  await settle()
  sockets[0]!.text({ type: 'error', message: 'The machine is not ready. Try again in a moment.' })
  sockets[0]!.drop(1013)
  expect(phases.at(-1)).toMatchObject({
    kind: 'waiting',
    message: 'The machine is not ready. Try again in a moment.',
  })
})

test('a machine that never says it is ready is given up and tried again', async () => {
  const { client, waits, phases, sockets } = setUp()
  client.connect()
  await settle()
  waits.at(-1)!.run()
  expect(phases.at(-1)).toMatchObject({ kind: 'waiting' })
  expect(sockets[0]!.closedWith).toBe(1000)
})

test('an ended shell is not tried again', async () => {
  const { connect, waits, phases } = setUp()
  ;(await connect()).drop(1000)
  expect(phases.at(-1)).toEqual({ kind: 'disconnected', why: 'ended' })
  expect(waits.every(each => each.cancelled)).toBe(true)
})

test('a refusal ends it with its reason; a failing service does not', async () => {
  const { client, state, phases } = setUp()
  state.refuse = new IngotError('not_found')
  client.connect()
  await settle()
  expect(phases.at(-1)).toMatchObject({ kind: 'disconnected', why: 'refused', error: { code: 'not_found' } })
  for (const failure of [
    new IngotError('unavailable'),
    new IngotError('rate_limited'),
    new TypeError('fetch'),
  ]) {
    state.refuse = failure
    client.connect()
    await settle()
    expect(phases.at(-1)).toMatchObject({ kind: 'waiting' })
    client.close()
  }
})

test('connecting by hand while a retry waits replaces the retry', async () => {
  const { client, connect, waits, state } = setUp()
  ;(await connect()).drop()
  client.connect()
  await settle()
  expect(state.tickets).toBe(2)
  expect(waits[1]!.cancelled).toBe(true)
  client.connect()
  await settle()
  expect(state.tickets).toBe(2)
})

test('a large paste is cut into frames that the service takes, in order and whole', async () => {
  const { client, connect } = setUp()
  const socket = await connect()
  const text = 'zażółć 🦀 '.repeat(20_000)
  client.input(text)
  const frames = socket.frames()
  expect(frames.length).toBeGreaterThan(2)
  expect(Math.max(...frames.map(frame => frame.length))).toBe(maxFrameBytes)
  expect(new TextDecoder().decode(Buffer.concat(frames))).toBe(text)
})

test('what is typed while nothing is connected is dropped', async () => {
  const { client, connect, retry } = setUp()
  client.input('early')
  const first = await connect()
  expect(first.frames()).toEqual([])
  first.drop()
  client.input('rm -rf /\r')
  const second = await retry()
  client.input('still not ready')
  second.text({ type: 'ready' })
  expect([...first.frames(), ...second.frames()]).toEqual([])
})

test('a size that changed while connecting is told as soon as it is connected', async () => {
  const { client, sockets, state } = setUp()
  client.connect()
  await settle()
  state.size = { cols: 120, rows: 40 }
  client.resize(state.size)
  expect(sockets[0]!.sent).toEqual([])
  sockets[0]!.text({ type: 'ready' })
  sockets[0]!.bytes(36)
  expect(sockets[0]!.controls('resize')).toEqual([{ type: 'resize', cols: 120, rows: 40 }])
})

test('after closing nothing of the old socket counts, and a ticket that comes late opens nothing', async () => {
  const { client, connect, drawings, phases, sockets } = setUp()
  const socket = await connect()
  socket.bytes(new Uint8Array(ackEveryBytes))
  client.close()
  expect(socket.closedWith).toBe(1000)
  drawings[0]!()
  socket.bytes(65)
  socket.drop()
  expect(socket.controls('ack')).toEqual([])
  expect(phases.at(-1)).toEqual({ kind: 'disconnected', why: 'closed' })
  client.connect()
  client.close()
  await settle()
  expect(sockets).toHaveLength(1)
})

test('messages that are not ours are ignored', async () => {
  const { connect, phases } = setUp()
  const socket = await connect()
  const before = phases.length
  socket.dispatchEvent(new MessageEvent('message', { data: 'not json' }))
  socket.text({ type: 'news' })
  expect(phases).toHaveLength(before)
})

test('a shell is ended by its page where it is connected, and nothing is said where it is not', async () => {
  const { client, sockets, phases } = setUp()
  expect(client.end()).toBe(false)
  client.connect()
  await settle()
  sockets[0]!.text({ type: 'ready' })
  sockets[0]!.bytes(1)
  expect(client.end()).toBe(true)
  expect(sockets[0]!.controls('end')).toHaveLength(1)
  expect(sockets[0]!.closedWith).toBe(1000)
  expect(phases.at(-1)).toEqual({ kind: 'disconnected', why: 'closed' })
  sockets[0]!.drop(1000)
  expect(phases.filter(({ kind }) => kind === 'waiting')).toEqual([])
})
