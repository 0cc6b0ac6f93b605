/** The data folder belongs to one living server: who holds it is a process of its own, killed as a host kills. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDir } from './lock-data-dir.ts'

let dir: string
const holders: ChildProcess[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-lock-'))
})
afterEach(async () => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
  await rm(dir, { recursive: true })
})

/** Takes the lock, says how that went, and lives on. The memory makes its end take as long as a server's. */
const holder = `
const { lockDataDir } = await import(${JSON.stringify(new URL('lock-data-dir.ts', import.meta.url).href)})
const memory = Buffer.alloc(Number(process.argv[2]) << 20, 1)
console.log('ready')
process.stdin.once('data', async () => {
  await lockDataDir(process.argv[1]).then(() => console.log('held'), error => console.log(error.message))
})
setInterval(() => memory, 1e6)`

async function starter(megabytes: number) {
  const args = ['--input-type=module', '-e', holder, dir, String(megabytes)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  holders.push(child)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  return {
    child,
    async lock() {
      child.stdin.write('\n')
      return String((await lines.next()).value)
    },
  }
}

test(
  'of many servers that start at once on one folder exactly one gets it',
  { timeout: 120_000 },
  async () => {
    const starters = await Promise.all(Array.from({ length: 10 }, () => starter(0)))
    const answers = await Promise.all(starters.map(({ lock }) => lock()))
    const winner = starters[answers.indexOf('held')]!
    const refused = answers.filter(answer => answer !== 'held')
    expect(refused).toHaveLength(starters.length - 1)
    for (const answer of refused)
      expect(answer).toContain(`another server (process ${winner.child.pid}) already uses`)
  },
)

test('a start right after a SIGKILL is never refused', { timeout: 120_000 }, async () => {
  for (let round = 0; round < 8; round++) {
    const { child, lock } = await starter(200)
    expect(await lock()).toBe('held')
    child.kill('SIGKILL')
    const release = await lockDataDir(dir)
    await release()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
})

test('a holder that is dead and that nobody has collected holds nothing', { timeout: 60_000 }, async () => {
  // The shell becomes a program that never asks for its child.
  const script = '"$@" & echo $!; exec sleep 600'
  const parent = spawn('sh', ['-c', script, 'sh', process.execPath, '-e', 'setInterval(() => {}, 1e6)'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  holders.push(parent)
  const pid = Number(String((await once(parent.stdout, 'data'))[0]))
  const stat = async () => {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  }
  // As a server of before the socket notes itself.
  await writeFile(join(dir, 'server.pid'), `${pid} ${(await stat())[19]}`)
  await expect(lockDataDir(dir)).rejects.toThrow(`another server (process ${pid}) already uses`)
  process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await stat())[0]).toBe('Z')
  await (
    await lockDataDir(dir)
  )()
})

test('a folder that was let go of is free at once, and its own holder may not take it twice', async () => {
  const release = await lockDataDir(dir)
  await expect(lockDataDir(dir)).rejects.toThrow('already uses')
  await release()
  await (
    await lockDataDir(dir)
  )()
})
