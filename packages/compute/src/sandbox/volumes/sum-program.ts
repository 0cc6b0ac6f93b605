/**
 * A program of its own, so that neither bytes nor sums pass through the server: Node sums several times as fast as the
 * tools that every host has. Prints SHA-256 in hexadecimal digits, and in the next line how many bytes it was of.
 *   sum FILE                 of a file
 *   keep FILE COMMAND...     of what the command writes, which becomes the file and is on the disk then
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'

const [what, file = '', command = '', ...args] = process.argv.slice(2)
const sum = createHash('sha256')
const blockBytes = 2 ** 20
let bytes = 0

function add(piece: Buffer): void {
  sum.update(piece)
  bytes += piece.length
}

function sumFile(): void {
  const from = openSync(file, 'r')
  const block = Buffer.allocUnsafe(blockBytes)
  for (let length; (length = readSync(from, block)) > 0;) add(block.subarray(0, length))
}

async function keep(): Promise<void> {
  const to = openSync(file, 'wx', 0o600)
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  for await (const piece of child.stdout as AsyncIterable<Buffer>) {
    add(piece)
    for (let at = 0; at < piece.length;) at += writeSync(to, piece, at)
  }
  const [code] = (await ended) as [number | null]
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  fsyncSync(to)
  closeSync(to)
}

if (what === 'keep') await keep()
else sumFile()
console.log(`${sum.digest('hex')}\n${bytes}`)
