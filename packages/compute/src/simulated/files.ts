/**
 * The few directories and files of a simulated machine. They can be listed, entered and read, never written: nothing
 * a visitor types is kept.
 */
import { listingTime } from './clock-text.ts'
import { hostname, type MachineFacts } from './facts.ts'

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
      'This machine and its shell are simulated: commands answer from a script, and nothing is run or stored.',
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

function find(path: string): Directory | File | null {
  let at: Directory | File = root
  for (const part of path.split('/').filter(Boolean)) {
    if (typeof at === 'function' || !Object.hasOwn(at, part)) return null
    at = at[part]!
  }
  return at
}

export function kindOf(path: string): 'directory' | 'file' | null {
  const found = find(path)
  if (!found) return null
  return typeof found === 'function' ? 'file' : 'directory'
}

export function readLines(path: string, facts: MachineFacts): string[] | null {
  const found = find(path)
  return typeof found === 'function' ? found(facts) : null
}

export function list(path: string, facts: MachineFacts, options: { all: boolean; long: boolean }): string[] {
  const found = find(path)
  if (!found) return []
  const name = path.slice(path.lastIndexOf('/') + 1)
  const entries: [string, Directory | File][] =
    typeof found === 'function' ? [[name, found]] : Object.entries(found)
  const shown = entries.filter(([name]) => options.all || !name.startsWith('.'))
  if (typeof found !== 'function' && options.all) shown.unshift(['.', found], ['..', found])
  if (!options.long) return shown.length > 0 ? [shown.map(([name]) => name).join('  ')] : []
  const rows = shown.map(([name, entry]) => longRow(name, entry, facts))
  return typeof found === 'function' ? rows : [`total ${shown.length * 4}`, ...rows]
}

function longRow(name: string, entry: Directory | File, facts: MachineFacts): string {
  const isFile = typeof entry === 'function'
  const bytes = isFile ? entry(facts).reduce((sum, line) => sum + line.length + 1, 0) : 4_096
  const mode = isFile ? '-rw-r--r--' : 'drwxr-xr-x'
  return `${mode} 1 root root ${String(bytes).padStart(5)} ${listingTime(facts.startedAtMs)} ${name}`
}
