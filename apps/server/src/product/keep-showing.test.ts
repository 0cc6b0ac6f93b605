import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { keepShowing } from './keep-showing.ts'
import { openPages } from './pages.ts'
import { until, useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })
const hour = 3_600_000

test('a price that takes effect is on the pages and in their calculator, and a GPU off sale is on neither', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-shown-'))
  try {
    const { clock } = server.services
    const pages = openPages({ dir })
    await keepShowing(pages, server.services)
    const pricing = () => readFile(join(pages.current()!.dir, 'pricing/index.html'), 'utf8')
    const inCalculator = (price: string) => `hourly_price&quot;:&quot;${price}&quot;`
    expect(await pricing()).toContain(inCalculator('4.100000'))

    await sql`select set_gpu_price('H100', ${clock.iso(hour)}, 9.87, 9000, 20000)`.execute(server.owner)
    await sql`update gpu_type set is_on_sale = false where name = 'V100'`.execute(server.owner)
    const without = await until(pricing, html => !html.includes('>V100</th>'), 60_000)
    expect(without).not.toContain('name&quot;:&quot;V100')
    expect(without).not.toContain('9.87')

    await server.advance(hour)
    const after = await until(pricing, html => html.includes('$9.87'), 60_000)
    expect(after).toContain(inCalculator('9.870000'))
    expect(after).not.toContain(inCalculator('4.100000'))
    const front = await readFile(join(pages.current()!.dir, 'index.html'), 'utf8')
    expect(front).toContain('9 kinds of GPU')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}, 120_000)
