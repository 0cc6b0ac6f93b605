/**
 * File systems in files. The file is root's alone, and what a tenant gets is one folder of the file system, so nobody but
 * the kernel and these tools ever writes below or beside it. A device for the file is made by the mount and goes with
 * the last one, also when everybody is killed; there is never a second device for one file.
 */
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostMounts } from '../launch/host-mounts.ts'
import { runTool, tool } from './run-tool.ts'

/** The tenant's folder in the file system. */
export const ownFolder = 'data'
/** `e2fsck` mended what it found. */
const mended = [0, 1]
const freeMs = 1_000
const pollMs = 10
const mountTries = 5

/** In a folder that nobody sees yet. */
export async function makeImage(folder: string, sizeBytes: number, uid: number | null): Promise<void> {
  const image = join(folder, 'image')
  const seed = join(folder, 'seed')
  mkdirSync(join(seed, ownFolder), { recursive: true, mode: 0o755 })
  if (uid !== null) chownSync(join(seed, ownFolder), uid, uid)
  await resizeFile(image, sizeBytes)
  const extended = ['-E', 'lazy_itable_init=1,root_owner=0:0']
  await tool('mke2fs', ['-t', 'ext4', '-q', '-F', '-m', '0', '-d', seed, ...extended, '--', image])
  await tool('rm', ['-r', '--', seed])
}

/** Larger only, and without taking the room for it. */
export async function resizeFile(image: string, sizeBytes: number): Promise<void> {
  const file = await open(image, 'a', 0o600)
  try {
    const { size } = await file.stat()
    if (size < sizeBytes) await file.truncate(sizeBytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

export const isMounted = (at: string): boolean => hostMounts().some(({ path }) => path === at)

/** The device that the kernel has for it, also when another mount of it is on its way out; null: none. */
export async function deviceOf(image: string): Promise<string | null> {
  const found = await tool('losetup', ['--noheadings', '--output', 'NAME', '--associated', image])
  return found.split('\n')[0] || null
}

/** Replays what a crash left in the journal, and mends what can be mended without asking. */
export async function checkImage(image: string, isWhole = false): Promise<void> {
  const { code, output } = await runTool('e2fsck', [isWhole ? '-fp' : '-p', image])
  if (code === null || !mended.includes(code)) throw new Error(`e2fsck ended with ${code}: ${output}`)
}

export async function mountImage(image: string, at: string): Promise<void> {
  mkdirSync(at, { recursive: true, mode: 0o711 })
  const options = 'loop,nosuid,nodev,noatime,discard,errors=remount-ro'
  for (let tries = 1; !isMounted(at); tries++) {
    if ((await deviceOf(image)) === null) await checkImage(image)
    // The device of a mount before may go in this moment.
    const { code, output } = await runTool('mount', ['-t', 'ext4', '-o', options, '--', image, at])
    if (code !== 0 && tries === mountTries) throw new Error(`mount ended with ${code}: ${output}`)
    if (code !== 0) await sleep(pollMs * tries)
  }
}

/** False while somebody still uses it. */
export async function unmountImage(image: string, at: string): Promise<boolean> {
  if (isMounted(at) && (await runTool('umount', ['--', at])).code !== 0 && isMounted(at)) return false
  // A machine that has just ended lets go of it a moment later.
  for (const until = performance.now() + freeMs; (await deviceOf(image)) !== null; await sleep(pollMs))
    if (performance.now() > until) return false
  return true
}

/** Of one that is not mounted. */
export async function growImage(image: string, sizeBytes: number): Promise<void> {
  await resizeFile(image, sizeBytes)
  await checkImage(image, true)
  await tool('resize2fs', [image])
}

export async function growMounted(image: string, sizeBytes: number): Promise<void> {
  await resizeFile(image, sizeBytes)
  const device = await deviceOf(image)
  if (device === null) throw new Error('it is not mounted')
  await tool('losetup', ['--set-capacity', device])
  await tool('resize2fs', [device])
}

export async function usedOfMount(at: string): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(at)
  return (blocks - bfree) * bsize
}

/** What the same would be of one that is not mounted: the kernel's fields of the superblock. */
export async function usedOfImage(image: string): Promise<number> {
  const file = await open(image)
  try {
    const block = Buffer.alloc(1_024)
    await file.read(block, 0, block.length, 1_024)
    const wide = (low: number, high: number) => block.readUInt32LE(low) + block.readUInt32LE(high) * 2 ** 32
    const [blocks, free] = [wide(0x4, 0x150), wide(0xc, 0x158)]
    const overhead = block.readUInt32LE(0x248)
    return Math.max(0, blocks - free - overhead) * 1_024 * 2 ** block.readUInt32LE(0x18)
  } finally {
    await file.close()
  }
}

/** Whether all of it works on the file system of this folder, found by doing it. Null: it does; else why not. */
async function tryImages(folder: string): Promise<string | null> {
  const [image, at] = [join(folder, 'image'), join(folder, 'mnt')]
  try {
    await makeImage(folder, 2 ** 23, null)
    await mountImage(image, at)
    return (await unmountImage(image, at)) ? null : 'a mount could not be taken back'
  } catch (error) {
    return (error as Error).message
  } finally {
    if (isMounted(at)) await runTool('umount', ['--', at])
  }
}

/** By the device of the folder's file system: what a host can do does not change. */
const tried = new Map<number, Promise<string | null>>()

/** Null: file systems in files work there; else why not. */
export function imagesIn(dir: string, scraps: string): Promise<string | null> {
  const { dev } = statSync(dir)
  const known = tried.get(dev) ?? tryOnce(join(dir, scraps))
  tried.set(dev, known)
  return known
}

async function tryOnce(scraps: string): Promise<string | null> {
  const folder = mkdtempSync(join(scraps, 'probe-'))
  return tryImages(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
}

/** A file system that is mounted grows only for whoever may use more than his share. */
export const canGrowMounted = (): boolean => {
  const rights = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '0'
  return ((BigInt(`0x${rights}`) >> 24n) & 1n) === 1n
}
