import { defineConfig } from '@playwright/test'

const jsonFile = process.env['PLAYWRIGHT_JSON_OUTPUT_FILE']

export default defineConfig({
  testDir: 'e2e',
  timeout: 90_000,
  expect: { timeout: 10_000 },
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
