import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listenIn } from './listener.ts'

it('of two control planes that start one machine at once each has a socket or is told that it has none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-listener-'))
  for (let round = 0; round < 20; round++) {
    const outcomes = await Promise.allSettled([listenIn(folder), listenIn(folder), listenIn(folder)])
    const listeners = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(listeners.length).toBeGreaterThan(0)
    for (const listener of listeners) listener.close()
  }
  rmSync(folder, { recursive: true })
})
