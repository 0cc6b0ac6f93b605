/**
 * The directories and files of a simulated machine: a few that every one has, which can be read and never changed, and
 * what was written to this one by the calls on its files. Nothing that a visitor types is kept.
 */
import { listingTime } from './clock-text.ts'
import { type Entry, hostname, type MachineFacts } from './facts.ts'

export const home = '/root'
const binDir = '/usr/bin'

/** What `which` finds and `ls /usr/bin` shows. */
const binaries = [
  'bash',
  'cat',
  'clear',
  'date',
  'df',
  'free',
  'htop',
  'ls',
  'lscpu',
  'nvidia-smi',
  'ping',
  'ps',
  'pwd',
  'python3',
  'sudo',
  'top',
  'uname',
  'uptime',
  'which',
  'whoami',
]

const osRelease = [
  'PRETTY_NAME="Ubuntu 22.04.4 LTS"',
  'NAME="Ubuntu"',
  'VERSION_ID="22.04"',
  'VERSION="22.04.4 LTS (Jammy Jellyfish)"',
  'VERSION_CODENAME=jammy',
  'ID=ubuntu',
  'ID_LIKE=debian',
  'HOME_URL="https://www.ubuntu.com/"',
  'SUPPORT_URL="https://help.ubuntu.com/"',
  'UBUNTU_CODENAME=jammy',
]

type File = (facts: MachineFacts) => string[]
/** A directory holds directories and files; a file is a function of the machine. */
type Directory = { readonly [name: string]: Directory | File }

const root: Directory = {
  bin: {},
  dev: {},
  etc: { hostname: facts => [hostname(facts.name)], 'os-release': () => osRelease },
  home: {},
  opt: {},
  proc: {},
  root: {
    '.bashrc': () => ["PS1='\\u@\\h:\\w\\$ '"],
    'README.md': facts => [
      `# ${facts.name}`,
      '',
      'This machine and its shell are simulated: commands answer from a script, and nothing is run.',
      "Type 'help' for the commands it knows.",
    ],
    datasets: {},
    models: {},
    notebooks: {},
  },
  tmp: {},
  usr: { bin: Object.fromEntries(binaries.map(name => [name, () => []])), lib: {}, local: {} },
  var: {},
  workspace: {},
}

export const fileMode = 0o644
export const folderMode = 0o755

export const which = (name: string): string | null => (binaries.includes(name) ? `${binDir}/${name}` : null)

/** The absolute path that `path` means in `cwd`; `~` is the home. */
export function resolve(cwd: string, path: string): string {
  const named = path === '~' || path.startsWith('~/') ? home + path.slice(1) : path
  const parts: string[] = []
  for (const part of (named.startsWith('/') ? named : `${cwd}/${named}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

export const within = (folder: string, name: string): string =>
  folder === '/' ? `/${name}` : `${folder}/${name}`

function fixedAt(path: string): Directory | File | null {
  let at: Directory | File = root
  for (const part of path.split('/').filter(Boolean)) {
    if (typeof at === 'function' || !Object.hasOwn(at, part)) return null
    at = at[part]!
  }
  return at
}

export function isFixedFolder(path: string): boolean {
  const found = fixedAt(path)
  return found !== null && typeof found === 'object'
}

export function find(path: string, facts: MachineFacts): Entry | null {
  const found = fixedAt(path)
  if (!found) return facts.written?.find(path) ?? null
  const isFile = typeof found === 'function'
  const data = new TextEncoder().encode(
    isFile
      ? found(facts)
          .map(line => `${line}\n`)
          .join('')
      : '',
  )
  return {
    kind: isFile ? 'file' : 'folder',
    isFixed: true,
    mode: isFile ? fileMode : folderMode,
    modifiedAtMs: facts.startedAtMs,
    bytes: isFile ? data.length : 4_096,
    read: () => data,
  }
}

/** The names in a folder, in no order. */
export function namesIn(path: string, facts: MachineFacts): string[] {
  const found = fixedAt(path)
  const fixed = typeof found === 'object' && found ? Object.keys(found) : []
  return [...fixed, ...(facts.written?.names(path) ?? [])]
}

export function readLines(path: string, facts: MachineFacts): string[] | null {
  const found = find(path, facts)
  if (found?.kind !== 'file') return null
  const lines = new TextDecoder().decode(found.read()).split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

export function list(path: string, facts: MachineFacts, options: { all: boolean; long: boolean }): string[] {
  const found = find(path, facts)
  if (!found) return []
  const isFolder = found.kind === 'folder'
  const names = isFolder ? namesIn(path, facts).toSorted() : [path.slice(path.lastIndexOf('/') + 1)]
  const shown = names.filter(name => options.all || !isFolder || !name.startsWith('.'))
  const dots = isFolder && options.all ? ['.', '..'] : []
  if (!options.long) return inRows([...dots, ...shown])
  const entries = shown.map(name => [name, isFolder ? find(within(path, name), facts) : found] as const)
  const rows = [...dots.map(name => [name, found] as const), ...entries].map(([name, entry]) =>
    entry ? longRow(name, entry) : name,
  )
  return isFolder ? [`total ${rows.length * 4}`, ...rows] : rows
}

/** Names beside each other, as many as a usual screen is wide. */
function inRows(names: readonly string[]): string[] {
  const rows: string[] = []
  for (const name of names) {
    const longer = rows.length > 0 ? `${rows.at(-1)}  ${name}` : name
    if (rows.length > 0 && longer.length <= 80) rows[rows.length - 1] = longer
    else rows.push(name)
  }
  return rows
}

function longRow(name: string, { kind, bytes, modifiedAtMs }: Entry): string {
  const mode = kind === 'file' ? '-rw-r--r--' : 'drwxr-xr-x'
  return `${mode} 1 root root ${String(bytes).padStart(5)} ${listingTime(modifiedAtMs)} ${name}`
}
