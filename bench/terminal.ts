/**
 * The web terminal through the sandbox, the server and its socket, against a bare pty on a bare WebSocket, and against
 * the least that lets a shell outlive the server: the same with a process between.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { performance } from 'node:perf_hooks'
import { a40, type Bench } from './product.ts'
import { median, type Result } from './report.ts'
import { openInstanceShell, openShell, type Shell } from './shell.ts'

const rounds = 5
const megabytes = 100
const keys = 200
const keysPerLine = 40
const furtherTerminals = 15
const stallMs = 4_000
/** Markers hold a character that base64 does not have. */
const textCommand = `base64 -w 79 /dev/urandom | head -c ${megabytes}000000 > /tmp/bench.txt; echo [ma''de]\r`

export async function benchTerminal({ client, product }: Bench): Promise<Result[]> {
  const { id } = await client.instances.create({ ...a40, name: 'bench' })
  while ((await client.instances.get({ id })).status !== 'running') await sleep(20)
  const servers = ['terminal-server', 'relay-server'].map(name =>
    fork(new URL(`floors/${name}.ts`, import.meta.url)),
  )
  const ports = await Promise.all(servers.map(async server => (await once(server, 'message'))[0] as number))
  const ours = await openInstanceShell(client, product.url, id, 'bench')
  const [floor, relay] = (await Promise.all(
    ports.map(port => openShell(`ws://127.0.0.1:${port}`, false)),
  )) as [Shell, Shell]
  for (const shell of [ours, floor]) await makeText(shell)

  const speed = { ours: [] as number[], floor: [] as number[] }
  const echo = { ours: [] as number[], relay: [] as number[], floor: [] as number[] }
  // A round that warms both up is not counted.
  for (let n = 0; n <= rounds; n++) {
    const measured = {
      speed: { floor: await throughput(floor), ours: await throughput(ours) },
      echo: await echoTimes({ floor, relay, ours }),
    }
    if (n === 0) continue
    for (const which of ['floor', 'ours'] as const) speed[which].push(measured.speed[which])
    for (const which of ['floor', 'relay', 'ours'] as const) echo[which].push(...measured.echo[which])
  }
  const further: number[] = []
  for (let n = 0; n < furtherTerminals; n++) further.push(await openFurther(`further-${n}`))
  const interrupts: number[] = []
  for (let n = 0; n < 5; n++) interrupts.push(await interrupt(ours))
  const growth = await stalledGrowth(ours, product.pid)
  for (const shell of [ours, floor, relay]) shell.close()
  for (const server of servers) server.kill()
  await client.instances.delete({ id })

  const ratio = (of: readonly number[], to: readonly number[]) => median(of) / median(to)
  return [
    {
      what: `terminal: cat ${megabytes} MB`,
      figure: `${median(speed.ours).toFixed(0)} MB/s`,
      floor: `${median(speed.floor).toFixed(0)} MB/s (bare ws + pty)`,
      value: ratio(speed.ours, speed.floor),
      unit: 'ratio',
      wanted: { atLeast: 0.9 },
    },
    {
      what: 'terminal: echo of a key',
      figure: `${median(echo.ours).toFixed(2)} ms`,
      floor: `${median(echo.relay).toFixed(2)} ms (bare relay)`,
      value: ratio(echo.ours, echo.relay),
      unit: 'ratio',
      wanted: { atMost: 1.15 },
      note: `median of ${rounds * keys} keys; bare ws + pty ${median(echo.floor).toFixed(2)} ms`,
    },
    {
      what: 'terminal: a further one, ticket → prompt',
      figure: `${median(further).toFixed(0)} ms (best ${Math.min(...further).toFixed(0)})`,
      floor: '',
      value: median(further),
      unit: 'ms',
      wanted: { atMost: 30 },
    },
    {
      what: 'terminal: Ctrl-C to prompt in a flood',
      figure: `${median(interrupts).toFixed(0)} ms`,
      floor: '',
      value: median(interrupts),
      unit: 'ms',
      wanted: { atMost: 100 },
    },
    {
      what: 'terminal: memory for a stalled client',
      figure: `${growth.toFixed(1)} MB`,
      floor: '',
      value: growth,
      unit: 'MB',
      wanted: { atMost: 16 },
      note: 'server and keeper',
    },
  ]

  async function openFurther(terminalId: string): Promise<number> {
    const began = performance.now()
    const shell = await openInstanceShell(client, product.url, id, terminalId)
    await shell.waitFor('#')
    const ms = performance.now() - began
    shell.type('exit\r')
    await sleep(100)
    shell.close()
    return ms
  }
}

/** What `throughput` reads. */
export async function makeText(shell: Shell): Promise<void> {
  const made = shell.waitFor('[made]')
  shell.type(textCommand)
  await made
}

/** In MB/s. */
export async function throughput(shell: Shell): Promise<number> {
  const done = shell.waitFor('[done]')
  const began = performance.now()
  shell.type("cat /tmp/bench.txt; echo [do''ne]\r")
  const bytes = await done
  return bytes / 1e6 / ((performance.now() - began) / 1000)
}

/** Types into all in turn, key by key, so that whatever else this machine does meets all alike. In ms. */
export async function echoTimes<Which extends string>(
  shells: Readonly<Record<Which, Shell>>,
): Promise<Record<Which, number[]>> {
  const each = Object.entries(shells) as [Which, Shell][]
  const times = Object.fromEntries(each.map(([which]) => [which, []])) as unknown as Record<Which, number[]>
  await sleep(500)
  for (let n = 0; n < keys; n++) {
    for (const [which, shell] of each) {
      if (n % keysPerLine === 0) await clearLine(shell)
      times[which].push(await echoTime(shell))
      await sleep(2)
    }
  }
  for (const [, shell] of each) await clearLine(shell)
  return times
}

async function echoTime(shell: Shell): Promise<number> {
  const back = shell.waitFor('x')
  const began = performance.now()
  shell.type('x')
  await back
  return performance.now() - began
}

async function clearLine(shell: Shell): Promise<void> {
  shell.type('\u0015')
  await sleep(20)
}

async function interrupt(shell: Shell): Promise<number> {
  const flooding = shell.waitFor('y\r\ny')
  shell.type('yes\r')
  await flooding
  await sleep(500)
  const prompt = shell.waitFor('#')
  const began = performance.now()
  shell.type('\u0003')
  await prompt
  const ms = performance.now() - began
  await sleep(200)
  return ms
}

/** How much the server and the keepers grow while a client stops reading in the middle of a flood. */
async function stalledGrowth(shell: Shell, serverPid: number): Promise<number> {
  const pids = [serverPid, ...(await keepers())]
  const resident = async () =>
    (await Promise.all(pids.map(residentBytes))).reduce((sum, bytes) => sum + bytes, 0)
  const before = await resident()
  shell.socket.pause()
  shell.type('yes\r')
  let most = before
  for (const end = Date.now() + stallMs; Date.now() < end; await sleep(100))
    most = Math.max(most, await resident())
  shell.socket.resume()
  return (most - before) / 1e6
}

async function keepers(): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter(pid => pid > 0)
  const names = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => names[index]!.startsWith('ingot-keeper'))
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
