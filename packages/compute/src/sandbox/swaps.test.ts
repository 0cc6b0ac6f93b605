/**
 * Files are asked for while a tenant swaps what is asked for: a folder and links that lead to every place of the host that
 * a path could name. Nothing of the host is read or written, and each call has its answer.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import type { Answer, MachineFiles, Ref } from '../driver.ts'
import { designsHere, openShell, running, specOf, useDriver, value } from './testing/sandbox.ts'

const swaps = 10_000
const canary = mkdtempSync(join(tmpdir(), 'ingot-canary-'))
const secret = `secret-of-the-host-${process.pid}`
mkdirSync(join(canary, 'deep'))
for (const name of ['file', 'deep/file']) writeFileSync(join(canary, name), secret)
afterAll(() => rmSync(canary, { recursive: true }))
const ofCanary = () =>
  readdirSync(canary, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
const before = ofCanary()

/** Exchanges the folder `here` with a link, to one place after the other, until it is told to end; says how often. */
const swapper = `
import ctypes, os, sys, time
root, enough, targets = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
libc = ctypes.CDLL(None, use_errno=True)
here, there = os.path.join(root, "here").encode(), os.path.join(root, "there").encode()
os.makedirs(here, exist_ok=True)
open(os.path.join(root, "here", "file"), "w").write("of the machine")
# On the host this is another user than the machine's.
os.chmod(here, 0o777)
os.chmod(os.path.join(root, "here", "file"), 0o666)
done = 0
while done < enough or not os.path.exists(os.path.join(root, "end")):
    target = targets[done // 2 % len(targets)]
    if done % 2 == 0:
        try: os.unlink(there)
        except FileNotFoundError: pass
        os.symlink(target, there)
    if libc.renameat2(-100, here, -100, there, 2) != 0: sys.exit(os.strerror(ctypes.get_errno()))
    done += 1
    if done % 64 == 0: time.sleep(0.001)
print("swaps:", done)
`

const targets = [
  canary,
  `/proc/1/root${canary}`,
  `/proc/self/root${canary}`,
  `/proc/self/cwd/../../../../../..${canary}`,
  `${'../'.repeat(40)}${canary.slice(1)}`,
  '/etc',
  '/run/ingot/machine',
  '/proc/1/root/etc',
  '/proc/self/fd',
  '/',
]

/** Asks for everything below `here` again and again until it is told to end. Answers how often, and what was refused. */
async function askOn(files: MachineFiles, root: string, isOver: () => boolean) {
  const faults: Record<string, number> = {}
  let calls = 0
  const seen = async <T>(answer: Promise<Answer<T>>, show: (value: T) => unknown): Promise<void> => {
    const given = await answer
    calls++
    if (given.kind === 'done') expect(JSON.stringify(await show(given.value))).not.toContain(secret)
    else {
      const fault = given.kind === 'failed' ? (given.fault ?? given.message) : given.kind
      faults[fault] = (faults[fault] ?? 0) + 1
    }
  }
  const here = `${root}/here`
  const content = ({ data }: { data: Readable }) => text(data).catch(() => 'not whole')
  const data = () => Readable.from([Buffer.from('written by a call')])
  for (let round = 0; !isOver(); round++) {
    const name = `file-${round % 8}`
    await Promise.all([
      seen(files.list(here), ({ entries }) => entries.map(({ name }) => (name === 'deep' ? secret : name))),
      seen(files.stat(`${here}/deep/file`), () => secret),
      seen(files.read(`${here}/file`), content),
      seen(files.read(`${here}/deep/file`), content),
      seen(files.write(`${here}/file`, data()), () => null),
      seen(files.write(`${here}/deep/file`, data(), { from: 0 }), () => null),
      seen(files.write(`${here}/${name}`, data(), { from: round }), () => null),
      seen(files.makeFolder(`${here}/made`), () => null),
      seen(files.rename(`${here}/${name}`, `${here}/moved`), () => null),
      seen(files.remove(`${here}/made`), () => null),
      seen(files.remove(`${here}/moved`), () => null),
    ])
  }
  return { calls, faults }
}

function expectHostUntouched(): void {
  expect(ofCanary()).toEqual(before)
  for (const name of ['file', 'deep/file']) expect(readFileSync(join(canary, name), 'utf8')).toBe(secret)
  for (const name of ['/etc', '/', '/run'])
    expect(readdirSync(name).filter(each => /^(file(-\d)?|made|moved|\.ingot-.*)$/.test(each))).toEqual([])
}

for (const design of designsHere)
  describe(`a tenant who swaps folders for links, on a machine by ${design}`, { timeout: 180_000 }, () => {
    const { dir, driver } = useDriver(design)
    const disk = (ref: Ref, name = '') => join(dir, 'machines', ref, 'disk/workspace', name)

    it('reaches nothing of the host while the machine runs', async () => {
      const ref = await running(driver(), 'runs')
      writeFileSync(disk(ref, 'swap.py'), swapper)
      const shell = await openShell(driver(), ref)
      shell.type(`python3 swap.py /workspace ${swaps} ${targets.join(' ')}\r`)
      let printed = ''
      const over = shell.until(/swaps: \d+\s|Error/, 150_000).then(shown => {
        printed = shown
      })
      const files = driver().files(ref)
      let isOver = false
      const until = performance.now() + 2_000
      const ended = over.then(() => {
        isOver = true
      })
      const asking = askOn(files, '/workspace', () => isOver)
      setTimeout(() => void value(() => files.write('/workspace/end', Readable.from([]))), 2_000)
      const { calls, faults } = await asking
      await ended
      const count = Number(/swaps: (\d+)/.exec(printed)?.[1])
      console.log(`${design}, running: ${count} swaps, ${calls} calls, refused: ${JSON.stringify(faults)}`)
      expect(count).toBeGreaterThanOrEqual(swaps)
      expect(calls).toBeGreaterThan(100)
      expect(performance.now()).toBeGreaterThan(until)
      expectHostUntouched()
    })

    it('reaches nothing of the host while it is stopped, whoever swaps', async () => {
      const ref = await value(() => driver().create(specOf('stopped'), 'stopped'))
      const root = disk(ref)
      const child = spawn('python3', ['-c', swapper, root, String(swaps), ...targets], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const printed = text(child.stdout)
      let isOver = false
      const ended = once(child, 'exit').then(() => {
        isOver = true
      })
      setTimeout(() => writeFileSync(join(root, 'end'), ''), 2_000)
      const { calls, faults } = await askOn(driver().files(ref), '/workspace', () => isOver)
      await ended
      const count = Number(/swaps: (\d+)/.exec(await printed)?.[1])
      console.log(`${design}, stopped: ${count} swaps, ${calls} calls, refused: ${JSON.stringify(faults)}`)
      expect(count).toBeGreaterThanOrEqual(swaps)
      expect(calls).toBeGreaterThan(100)
      expectHostUntouched()
    })
  })
