import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { mdx } from './apps/web/mdx-plugin.ts'

/** On a busy machine everything takes several times as long; what never comes is still found. */
const patience = { poll: { timeout: 20_000 } }

export default defineConfig({
  test: {
    // Files mostly wait: for machines, processes, the database. Two workers left a third of two cores idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      {
        // The public pages are rendered in unit tests, and their words are MDX.
        plugins: [mdx()],
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'apps/web/src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts'],
          testTimeout: 30_000,
          expect: patience,
        },
      },
      {
        test: {
          name: 'server',
          // Files take turns in a process: loading the product anew for each of them took a quarter of the time.
          isolate: false,
          include: ['apps/server/src/**/*.test.ts'],
          globalSetup: ['apps/server/src/db/test-cluster.ts'],
          testTimeout: 60_000,
          expect: patience,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
