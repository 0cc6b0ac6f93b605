import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { processOf } from './lock-data-dir.ts'

test('PostgreSQL that was killed while a process of it is still at work starts again as soon as that has ended', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-embedded-'))
  await chmod(dir, 0o711)
  const first = await startEmbeddedPostgres({ dir })
  try {
    const client = new pg.Client({ connectionString: first.url })
    client.on('error', () => {})
    await client.connect()
    // At work: it does not see that the postmaster is gone.
    const working = client
      .query(
        `do $$ begin while clock_timestamp() < statement_timestamp() + interval '1 s' loop end loop; end $$`,
      )
      .catch(() => {})
    await new Promise(resolve => setTimeout(resolve, 100))
    const postmaster = Number(readFileSync(join(dir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(postmaster, 'SIGKILL')
    const { url } = await startEmbeddedPostgres({ dir })
    const again = new pg.Client({ connectionString: url })
    await again.connect()
    expect((await again.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await again.end()
    await working
    await client.end().catch(() => {})
  } finally {
    await first.stop()
    await rm(dir, { recursive: true, force: true })
  }
})

test('PostgreSQL whose killed postmaster nobody has collected starts again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-embedded-'))
  await chmod(dir, 0o711)
  const first = await startEmbeddedPostgres({ dir })
  const pidFile = join(dir, 'postgres/postmaster.pid')
  const [pid, ...others] = readFileSync(pidFile, 'utf8').split('\n')
  process.kill(Number(pid), 'SIGKILL')
  // Of the user that PostgreSQL runs as. Before its child ends the shell becomes a program that never asks for it.
  const { uid, gid } = statSync(pidFile)
  const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
  })
  try {
    const dead = Number(String((await once(parent.stdout, 'data'))[0]))
    await expect.poll(async () => (await processOf(dead))?.isAlive, { timeout: 10_000 }).toBe(false)
    await writeFile(pidFile, [dead, ...others].join('\n'))
    const socketLock = join(dir, 'run/.s.PGSQL.5432.lock')
    await writeFile(socketLock, readFileSync(socketLock, 'utf8').replace(pid!, String(dead)))
    await startEmbeddedPostgres({ dir })
    const [now] = readFileSync(pidFile, 'utf8').split('\n')
    expect(now).not.toBe(String(dead))
  } finally {
    parent.kill('SIGKILL')
    await first.stop()
    await rm(dir, { recursive: true, force: true })
  }
})
