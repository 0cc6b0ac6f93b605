import { defineConfig } from '@playwright/test'

/** They visit every page, one after the other. The longest begin first, so that nothing waits for them at the end. */
const longest = /(site|screens)\.spec\.ts$/
const jsonFile = process.env['PLAYWRIGHT_JSON_OUTPUT_FILE']

export default defineConfig({
  testDir: 'e2e',
  projects: [
    { name: 'pages', testMatch: longest },
    { name: 'acts', testIgnore: longest },
  ],
  // Generous: on a busy machine everything takes several times as long, and only what hangs may fail by it.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  // Files mostly wait, each on a product of its own. One worker left three quarters of two cores idle.
  workers: 3,
  forbidOnly: true,
  reporter: jsonFile ? [['list'], ['json', { outputFile: jsonFile }]] : 'list',
  outputDir: 'test-results',
  use: {
    launchOptions: {
      executablePath: process.env['PLAYWRIGHT_CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
    viewport: { width: 1360, height: 800 },
    trace: 'retain-on-failure',
  },
})
