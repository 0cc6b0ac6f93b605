/**
 * Who may import whom. Every import of every source file is held against the table below (type-only imports too, tests
 * exempt); so is the order of rooms inside the server. Fails as well when it has read fewer files than git lists,
 * because a checker that reads nothing is always green. Cycles inside a room are oxlint's `import/no-cycle`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A place in the house, by the start of its path, and the places it may import beside itself. The longest match counts. */
const places: Record<string, readonly string[]> = {
  'packages/contracts/src/': [],
  'packages/compute/src/': ['packages/contracts/src/'],
  'packages/tron/src/': ['packages/contracts/src/'],
  'packages/sdk/src/': ['packages/contracts/src/'],
  'apps/server/src/': ['packages/contracts/src/', 'packages/compute/src/', 'packages/tron/src/'],
  'apps/web/src/ui/': [],
  'apps/web/src/content/': [],
  // The public page runs the same simulated shell as the server's simulated driver.
  'apps/web/src/site/': [
    'apps/web/src/ui/',
    'apps/web/src/content/',
    'packages/contracts/src/',
    'packages/compute/src/simulated/',
  ],
  'apps/web/src/console/': ['apps/web/src/ui/', 'packages/contracts/src/', 'packages/sdk/src/'],
  'apps/web/': ['apps/web/src/site/', 'apps/web/src/ui/'],
  'e2e/': ['packages/contracts/src/', 'packages/sdk/src/'],
  'bench/': ['packages/contracts/src/', 'packages/sdk/src/', 'packages/compute/src/', 'apps/server/src/'],
  'tools/': ['packages/contracts/src/', 'packages/sdk/src/'],
}

/** Inside the server: a room may import what stands on its own line and on lines above it, never what stands below. */
const serverRanks: readonly (readonly string[])[] = [
  ['config', 'vault'],
  ['db'],
  ['ledger', 'http', 'worker'],
  ['auth'],
  ['wallet'],
  ['catalog'],
  ['templates'],
  ['instances'],
  ['billing'],
  ['activity'],
  ['accounts'],
  ['site'],
  ['dev'],
  ['product'],
]
const serverSrc = 'apps/server/src/'
const consoleSrc = 'apps/web/src/console/'

const isTest = (path: string) => /\.test\.tsx?$|\/test-[\w-]+\.tsx?$|\/conformance(\/|\.ts)/.test(path)
const longest = (path: string) =>
  Object.keys(places)
    .filter(place => path.startsWith(place))
    .toSorted((a, b) => b.length - a.length)[0]

const listed = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mts'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter(path => path && existsSync(join(root, path)))
const problems: string[] = []
let read = 0
let arrows = 0

for (const path of listed) {
  const { module, errors } = parseSync(path, readFileSync(join(root, path), 'utf8'))
  if (errors.length) problems.push(`${path} cannot be parsed: ${errors[0]!.message}`)
  else read++
  const requests = [
    ...module.staticImports.map(each => each.moduleRequest.value),
    ...module.staticExports.flatMap(each => each.entries.map(entry => entry.moduleRequest?.value)),
    ...module.dynamicImports.map(
      each =>
        /^['"](.*)['"]$/.exec(
          readFileSync(join(root, path), 'utf8').slice(each.moduleRequest.start, each.moduleRequest.end),
        )?.[1],
    ),
  ]
  for (const request of new Set(requests)) {
    const target = request && resolve(path, request)
    if (!target) continue
    arrows++
    if (!isTest(path)) check(path, target)
  }
}

/** A path of this repository, or null for a package of others. */
function resolve(from: string, request: string): string | null {
  if (request.startsWith('.'))
    return relative(root, normalize(join(root, dirname(from), request.split('?')[0]!)))
  const own = /^@ingot\/(\w+)\/(.+)$/.exec(request)
  return own ? `packages/${own[1]}/src/${own[2]}.ts` : null
}

function check(path: string, target: string): void {
  const here = longest(path)
  const there = longest(target)
  if (!here || !there) return
  if (here !== there && !places[here]!.some(allowed => target.startsWith(allowed)))
    problems.push(
      `${path} imports ${target}: ${here} may import ${places[here]!.join(', ') || 'nothing of the house'}`,
    )
  if (here === serverSrc && there === serverSrc) checkServer(path, target)
  if (here === consoleSrc && there === consoleSrc) checkConsole(path, target)
}

function rankOf(path: string): number {
  const inside = path.slice(serverSrc.length).replace(/\.ts$/, '')
  return serverRanks.findIndex(rooms => rooms.some(room => inside === room || inside.startsWith(`${room}/`)))
}

function checkServer(path: string, target: string): void {
  const [from, to] = [rankOf(path), rankOf(target)]
  if (from < 0) problems.push(`${path} has no place in the server's order`)
  else if (to > from) problems.push(`${path} imports ${target}, which stands above it`)
  const [room, other] = [path, target].map(each => each.slice(serverSrc.length).split('/')[0])
  if (room !== other && target.endsWith('/routes.ts') && room !== 'http')
    problems.push(`${path} imports another room's routes`)
}

/** Features of the console never import each other; what two share lives in its shell. */
function checkConsole(path: string, target: string): void {
  const [feature, other] = [path, target].map(each => each.slice(consoleSrc.length).split('/'))
  if (feature!.length === 1 || feature![0] === other![0] || other![0] === 'shell' || other!.length === 1)
    return
  if (feature![0] !== 'shell')
    problems.push(`${path} imports ${target}: console features do not import each other`)
}

if (read < listed.length) problems.push(`read ${read} files of ${listed.length}`)
if (read < 50 || arrows < read)
  problems.push(`only ${arrows} arrows in ${read} files: the checker does not see the imports`)
for (const problem of problems) console.error(problem)
console.log(`arrows: ${read} files, ${arrows} imports, ${problems.length} problems`)
process.exit(problems.length ? 1 : 0)
