/**
 * `npm test`: installs what is missing, then types, lint, format, arrows, unit tests, database and API tests on real
 * PostgreSQL, and browser tests on the product as `npm start` serves it. Ends with one line: `N passed, N failed`.
 *
 *   npm test -- --only types,server      some parts      (types lint format arrows unit server browser)
 *   npm test -- apps/server/src/ledger   some test files (unit and server parts)
 *   npm run test:long                    the same with many more kills, splits and tries; they take their time
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertNode, buildWeb, environment, install, root, run } from './environment.mjs'

const names = process.argv.slice(2)
const onlyAt = names.indexOf('--only')
const only = onlyAt < 0 ? null : new Set((names.splice(onlyAt, 2)[1] ?? '').split(','))
if (names[0] === '--long') {
  names.shift()
  process.env.INGOT_LONG_TESTS = '1'
}
const filters = names

const totals = { passed: 0, failed: 0 }
const failedParts = []
const reports = mkdtempSync(join(tmpdir(), 'ingot-reports-'))
const bin = name => join(root, 'node_modules/.bin', name)

function count(part, { passed, failed }) {
  totals.passed += passed
  totals.failed += failed
  if (failed) failedParts.push(part)
}

/** A part that passes or fails as a whole. */
async function check(part, command, ...args) {
  const code = await run(command, args)
  count(part, { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 })
}

/** Counts what a runner's JSON report says; a runner that fails without saying which test counts as one failure. */
async function suite(part, readCounts, command, args, env = {}) {
  const report = join(reports, `${part}.json`)
  const code = await run(command, args(report), { env: { ...environment(), ...env } })
  const counts = existsSync(report)
    ? readCounts(JSON.parse(readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0 }
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  count(part, counts)
}

const vitestCounts = report => ({ passed: report.numPassedTests, failed: report.numFailedTests })
const playwrightCounts = report => ({
  passed: report.stats.expected,
  failed: report.stats.unexpected + report.stats.flaky,
})
const vitest = project => report => [
  'run',
  '--project',
  project,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  // Files that were asked for lie in one of the two parts.
  ...(filters.length ? ['--passWithNoTests', ...filters] : []),
]

const parts = {
  types: async () => {
    await check('types', bin('tsc'), '-p', '.')
    await check('types of the web', bin('tsc'), '-p', 'apps/web')
  },
  lint: () => check('lint', bin('oxlint')),
  format: () => check('format', bin('oxfmt'), '--check'),
  arrows: () => check('arrows', bin('node'), 'tools/arrows.ts'),
  unit: async () => {
    // One of the sandbox's two designs; without it the tests of that design are skipped by name.
    if (!existsSync('/usr/bin/bwrap')) await installed('bubblewrap')
    await suite('unit', vitestCounts, bin('vitest'), vitest('unit'), { CI_BUILD: '1' })
  },
  server: async () => {
    // Its programs are who knocks at the gateway; without them those tests are skipped by name.
    if (!existsSync('/usr/bin/ssh')) await installed('openssh-client')
    if (!existsSync('/usr/bin/rsync')) await installed('rsync')
    await suite('server', vitestCounts, bin('vitest'), vitest('server'))
  },
  browser: async () => {
    const chromium = await findChromium()
    if (!chromium) return count('browser', { passed: 0, failed: 1 })
    await suite('browser', playwrightCounts, bin('playwright'), () => ['test'], {
      PLAYWRIGHT_CHROMIUM: chromium,
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'browser.json'),
    })
  },
}

/** Debian's Chromium, installed when it is missing and we may; elsewhere PLAYWRIGHT_CHROMIUM names one. */
async function findChromium() {
  const present = [
    process.env.PLAYWRIGHT_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find(path => path && existsSync(path))
  if (present) return present
  if (await installed('chromium', 'fonts-liberation')) return '/usr/bin/chromium'
  console.error(
    'No Chromium: install one (Debian: apt-get install chromium) or name it in PLAYWRIGHT_CHROMIUM',
  )
  return null
}

/** Installs packages of Debian's where we may; false where not. */
async function installed(...packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  console.log(`Installing ${packages.join(', ')} for the tests …`)
  let output = ''
  const quiet = {
    onOutput: text => (output += text),
    env: { ...environment(), DEBIAN_FRONTEND: 'noninteractive' },
  }
  await run('apt-get', ['update', '-q'], quiet)
  const code = await run('apt-get', ['install', '-yq', '--no-install-recommends', ...packages], quiet)
  if (code !== 0) console.error(output.slice(-2000))
  return code === 0
}

assertNode()
process.chdir(root)
await install()
if (!only || ['unit', 'server', 'browser'].some(part => only.has(part))) await buildWeb()
for (const [name, part] of Object.entries(parts)) {
  if (only && !only.has(name)) continue
  if (filters.length && name !== 'unit' && name !== 'server') continue
  const started = Date.now()
  console.log(`\n== ${name}`)
  await part()
  console.log(`== ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
}
rmSync(reports, { recursive: true, force: true })
if (failedParts.length) console.log(`\nFailed: ${failedParts.join(', ')}`)
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed ? 1 : 0)
