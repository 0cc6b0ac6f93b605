import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'

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
