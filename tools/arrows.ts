/**
 * Holds every import of every source file (type-only imports too, tests exempt) against the order of the house in
 * `house.ts`: no arrow runs to a place that may not be imported, none runs up, and in no folder do the files and folders
 * that stand in it form a circle. Also counts: files in a room, lines in a file. Circles among single files are
 * oxlint's `import/no-cycle`.
 *
 * Fails as well when it has read fewer files than git lists, or when a row of the table fits nothing any more: a checker
 * that reads nothing is always green.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { floors, mostFilesInRoom, mostLines, notByHand, places, shelves } from './house.ts'

export interface Arrow {
  readonly from: string
  readonly to: string
}

const isSource = (path: string) => /\.(ts|tsx|mts)$/.test(path)
const isText = (path: string) => isSource(path) || /\.(mjs|js|css|html|sql|md|mdx)$/.test(path)
export const isTest = (path: string) =>
  /\.test\.tsx?$|\/test-[\w-]+\.tsx?$|\/conformance(\/|\.ts)|\/testing\//.test(path)

/** What a file imports of this repository, by path, and the parser's first complaint. */
export function readArrows(path: string, text: string): { arrows: Arrow[]; error: string | null } {
  const { module, errors } = parseSync(path, text)
  const requests = [
    ...module.staticImports.map(each => each.moduleRequest.value),
    ...module.staticExports.flatMap(each => each.entries.map(entry => entry.moduleRequest?.value)),
    ...module.dynamicImports.map(
      each => /^['"](.*)['"]$/.exec(text.slice(each.moduleRequest.start, each.moduleRequest.end))?.[1],
    ),
  ]
  const arrows = [...new Set(requests)].flatMap(request => {
    const to = request && resolve(path, request)
    return to ? [{ from: path, to }] : []
  })
  return { arrows, error: errors[0]?.message ?? null }
}

/** A path of this repository, or null for a package of others. */
function resolve(from: string, request: string): string | null {
  if (request.startsWith('.')) return join(dirname(from), request.split('?')[0]!)
  const own = /^@ingot\/(\w+)\/(.+)$/.exec(request)
  return own ? `packages/${own[1]}/src/${own[2]}.ts` : null
}

const placeOf = (path: string): string | undefined =>
  Object.keys(places)
    .filter(place => path.startsWith(place))
    .toSorted((a, b) => b.length - a.length)[0]

/** The room of a path in a place that has floors: the folder below the place, or the file that stands there alone. */
const roomOf = (place: string, path: string): string => path.slice(place.length).split('/')[0]!

/** Arrows between places, and up the floors of one. */
export function findForbidden(arrows: readonly Arrow[]): string[] {
  return arrows.flatMap(({ from, to }) => {
    const [here, there] = [placeOf(from), placeOf(to)]
    if (!here || !there) return []
    if (here !== there) {
      const allowed = places[here]!
      if (allowed.some(place => to.startsWith(place))) return []
      return [
        `${from} imports ${to}: ${here} may import ${allowed.join(', ') || 'nothing else of the house'}`,
      ]
    }
    const rooms = floors[here]
    if (!rooms) return []
    const [room, other] = [roomOf(here, from), roomOf(here, to)]
    const [floor, target] = [room, other].map(each => rooms.findIndex(line => line.includes(each)))
    if (floor! < 0) return [`${from}: ${here} has no room '${room}' in tools/house.ts`]
    if (room === other) return []
    if (target! > floor!) return [`${from} imports ${to}: '${other}' stands above '${room}'`]
    if (target === floor) return [`${from} imports ${to}: '${other}' and '${room}' stand on one floor`]
    const isTop = floor === rooms.length - 1
    return to.endsWith('/routes.ts') && !isTop ? [`${from} imports ${to}: another room's routes`] : []
  })
}

/** Circles among what stands in one folder: its files, and each of its folders taken as one. */
export function findCircles(arrows: readonly Arrow[]): string[] {
  const folders = new Map<string, Map<string, Map<string, Arrow>>>()
  for (const arrow of arrows) {
    const [from, to] = [arrow.from.split('/'), arrow.to.split('/')]
    let depth = 0
    while (depth < Math.min(from.length, to.length) - 1 && from[depth] === to[depth]) depth++
    if (from[depth] === to[depth]) continue
    const inside = entry(folders, from.slice(0, depth).join('/') || '.', () => new Map())
    const targets = entry(inside, from[depth]!, () => new Map<string, Arrow>())
    entry(targets, to[depth]!, () => arrow)
  }
  return [...folders].flatMap(([folder, inside]) => {
    const circle = findCircle(inside)
    if (!circle) return []
    const steps = circle.map((each, at) => inside.get(each)!.get(circle[(at + 1) % circle.length]!)!)
    return [`circle in ${folder}: ${steps.map(({ from, to }) => `${from} imports ${to}`).join(', ')}`]
  })
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!map.has(key)) map.set(key, make())
  return map.get(key)!
}

/** The first circle that a walk in depth meets, or null. */
function findCircle(targets: ReadonlyMap<string, ReadonlyMap<string, unknown>>): string[] | null {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (node: string): string[] | null => {
    if (path.includes(node)) return path.slice(path.indexOf(node))
    if (done.has(node)) return null
    path.push(node)
    for (const next of targets.get(node)?.keys() ?? []) {
      const circle = visit(next)
      if (circle) return circle
    }
    path.pop()
    done.add(node)
    return null
  }
  for (const node of targets.keys()) {
    const circle = visit(node)
    if (circle) return circle
  }
  return null
}

/** Rooms with too many files and files with too many lines. */
export function findTooLarge(files: ReadonlyMap<string, string>): string[] {
  const rooms = Map.groupBy(
    [...files.keys()].filter(path => isSource(path) && !isTest(path)),
    dirname,
  )
  const crowded = [...rooms]
    .filter(([room, inside]) => inside.length > mostFilesInRoom && !shelves.includes(room))
    .map(([room, inside]) => `${room} holds ${inside.length} files beside tests: at most ${mostFilesInRoom}`)
  const long = [...files]
    .map(([path, text]) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > mostLines && !notByHand.test(path))
    .map(({ path, lines }) => `${path} has ${lines} lines: at most ${mostLines}`)
  return [...crowded, ...long]
}

/** Rows of the table that no file or no arrow needs. */
export function findDeadRows(paths: readonly string[], arrows: readonly Arrow[]): string[] {
  const isUsed = (place: string, allowed: string) =>
    arrows.some(({ from, to }) => placeOf(from) === place && to.startsWith(allowed))
  const deadPlaces = Object.entries(places).flatMap(([place, allowed]) =>
    paths.some(path => placeOf(path) === place)
      ? allowed.filter(each => !isUsed(place, each)).map(each => `${place} no longer imports ${each}`)
      : [`${place} is a place without files`],
  )
  // A noun may be missing on one side of the wire.
  const stands = (room: string) =>
    Object.entries(floors).some(
      ([place, lines]) =>
        lines.flat().includes(room) &&
        paths.some(path => path === place + room || path.startsWith(`${place}${room}/`)),
    )
  const deadRooms = [...new Set(Object.values(floors).flat(2))]
    .filter(room => !stands(room))
    .map(room => `there is no '${room}' any more`)
  return [...deadPlaces, ...deadRooms].map(each => `tools/house.ts: ${each}`)
}

function main(): number {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(path => path && isText(path) && existsSync(join(root, path)))
  const files = new Map(listed.map(path => [path, readFileSync(join(root, path), 'utf8')]))
  const sources = listed.filter(isSource)
  const read = sources.map(path => ({ path, ...readArrows(path, files.get(path)!) }))
  const unread = read
    .filter(({ error }) => error)
    .map(({ path, error }) => `${path} cannot be parsed: ${error}`)
  const every = read.flatMap(each => each.arrows)
  const arrows = every.filter(({ from }) => !isTest(from))
  const problems = [
    ...unread,
    ...findForbidden(arrows),
    ...findCircles(arrows),
    ...findTooLarge(files),
    ...findDeadRows(sources, every),
  ]
  if (sources.length < 50 || every.length < sources.length)
    problems.push(`only ${every.length} arrows in ${sources.length} files: the imports are not seen`)
  for (const problem of problems) console.error(problem)
  console.log(`arrows: ${sources.length} files, ${every.length} imports, ${problems.length} problems`)
  return problems.length ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(main())
