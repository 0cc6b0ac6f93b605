/**
 * What every machine has besides the host's own programs: Node, the keeper, the pseudo-terminal module, the headless
 * terminal, a few commands and an `/etc`. It is copied once per version into a folder named after its content, because a
 * reinstall deletes what a running machine would still need, and because the checkout may lie where a machine's uid
 * can't read; an update of the host makes a new one. The keeper's TypeScript becomes plain JavaScript on the way.
 *
 * The folder appears complete, by one rename. Folders of other versions go when no machine runs from them.
 */
import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { etcFiles, etcFolders, etcLinks } from './machine-files.ts'
import { bundle, type Module } from './bundle.ts'
import { makeFolder } from './machine-store.ts'
import { isArchitecture, seccompProgram } from './launch/seccomp.ts'

const here = import.meta.dirname
const unusedMs = 24 * 3_600_000
const require = createRequire(import.meta.url)

/** A command that answers to more names than its own. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  'bin/apt': ['apt-get', 'aptitude', 'snap', 'dnf', 'yum'],
  'bin/systemctl': ['service', 'reboot', 'shutdown', 'poweroff', 'halt'],
}

export interface StagedFile {
  readonly path: string
  readonly content: Buffer | string
  readonly mode: 0o644 | 0o755 | typeof unreadable
}

/**
 * Of the programs that run beside a customer's as the same user. The kernel lets nobody without rights look into a
 * process whose program he may not read: neither its memory nor its open files, and it can't be traced.
 */
const unreadable = 0o111

export interface Runtime {
  readonly id: string
  readonly folder: string
  /** The system call filter. */
  readonly filter: string
}

/** Copies what is not there yet. Throws when a part is missing from the installation. */
export function stageRuntime(dir: string, nodePath: string): Runtime {
  const sources = keeperSources()
  const files = [...insideFiles(), ...etc(), ...packageFiles(), ...filterFile(), firstProcess()]
  const hash = createHash('sha256')
  for (const { path, content } of [...sources, ...files])
    hash.update(`${path}\0`).update(content).update('\0')
  const id = hash
    .update(`${nodeVersion(nodePath)}, bundled`)
    .digest('hex')
    .slice(0, 16)
  const runtimes = join(dir, 'runtime')
  const folder = join(runtimes, id)
  const runtime = { id, folder, filter: join(folder, 'seccomp.bpf') }
  if (existsSync(folder)) {
    // This shows a sweep that it is in use.
    utimesSync(folder, new Date(), new Date())
    return runtime
  }

  makeFolder(runtimes, 0o711)
  const building = join(runtimes, `.new-${randomUUID()}`)
  makeFolder(building, 0o755)
  for (const file of files) place(building, file)
  for (const name of etcFolders()) makeFolders(join(building, 'etc'), name)
  for (const [name, target] of Object.entries(etcLinks)) symlinkSync(target, join(building, 'etc', name))
  const modules = stripTypes(nodePath, sources)
  for (const name of ['keeper', 'clerk'])
    place(building, { path: `${name}.cjs`, content: bundle(modules, `agent/${name}.mjs`), mode: 0o644 })
  copyFileSync(nodePath, join(building, 'node'), constants.COPYFILE_FICLONE)
  chmodSync(join(building, 'node'), unreadable)
  try {
    renameSync(building, folder)
  } catch {
    // Another control plane was faster with the same.
    rmSync(building, { recursive: true, force: true })
  }
  return runtime
}

/** Removes what nothing runs from and no control plane has opened for a day, half copied ones included. */
export function sweepRuntimes(dir: string, inUse: ReadonlySet<string>): void {
  for (const name of readdirSync(join(dir, 'runtime'))) {
    const path = join(dir, 'runtime', name)
    const isRecent = Date.now() - statSync(path).mtimeMs < unusedMs
    if (!inUse.has(name) && !isRecent) rmSync(path, { recursive: true, force: true })
  }
}

export function place(folder: string, { path, content, mode }: StagedFile): void {
  const target = join(folder, path)
  makeFolders(folder, dirname(path))
  writeFileSync(target, content)
  chmodSync(target, mode)
}

function makeFolders(folder: string, path: string): void {
  const parts = path.split('/')
  for (let depth = 1; depth <= parts.length; depth++)
    makeFolder(join(folder, ...parts.slice(0, depth)), 0o755)
}

const etc = (): StagedFile[] =>
  Object.entries(etcFiles()).map(([name, content]) => ({ path: `etc/${name}`, content, mode: 0o644 }))

const keeperFile = (path: string): StagedFile => ({
  path,
  content: readFileSync(join(here, path)),
  mode: 0o644,
})

const keeperSources = (): StagedFile[] =>
  ['wire/files.ts', 'wire/frames.ts', ...globSync('agent/*.ts', { cwd: here })]
    .filter(path => !path.endsWith('.test.ts'))
    .toSorted()
    .map(keeperFile)

function insideFiles(): StagedFile[] {
  const commands = globSync('{bin,simulated}/*', { cwd: join(here, 'inside') }).toSorted()
  const named = commands.flatMap(path => {
    const content = readFileSync(join(here, 'inside', path))
    const names = [path, ...(aliases[path] ?? []).map(name => `bin/${name}`)]
    return names.map(name => ({ path: name, content, mode: 0o755 as const }))
  })
  return [
    ...named,
    { path: 'bashrc', content: readFileSync(join(here, 'inside/bashrc')), mode: 0o644 },
    { ...keeperFile('agent/load-filter.pl'), path: 'load-filter.pl' },
  ]
}

/** The pseudo-terminal module and the headless terminal, as a keeper finds them. */
export function packageFiles(): StagedFile[] {
  const native = `@lydell/node-pty-linux-${process.arch}`
  // The native package is a dependency of the one that we depend on.
  const fromPty = createRequire(require.resolve('@lydell/node-pty'))
  return [
    ...packagePart(fromPty.resolve(`${native}/pty.node`), native, 'pty.node'),
    ...packagePart(require.resolve('@xterm/headless'), '@xterm/headless', 'lib-headless/xterm-headless.js'),
    ...packagePart(
      require.resolve('@xterm/addon-serialize'),
      '@xterm/addon-serialize',
      'lib/addon-serialize.js',
    ),
  ]
}

function packagePart(resolved: string, name: string, file: string): StagedFile[] {
  const root = resolved.slice(0, -file.length)
  return ['package.json', file].map(path => ({
    path: `node_modules/${name}/${path}`,
    content: readFileSync(join(root, path)),
    mode: 0o644,
  }))
}

function filterFile(): StagedFile[] {
  if (!isArchitecture(process.arch)) return []
  return [{ path: 'seccomp.bpf', content: seccompProgram(process.arch), mode: 0o644 }]
}

/** A shell of the machine's own, for where a shell is its first process. */
const firstProcess = (): StagedFile => ({ path: 'sh', content: readFileSync('/bin/sh'), mode: unreadable })

const nodeVersion = (nodePath: string): string =>
  nodePath === process.execPath
    ? process.version
    : spawnSync(nodePath, ['--version'], { encoding: 'utf8' }).stdout.trim()

/** In a process of its own, because Node still warns wherever this is asked for. */
const strip = `
const { stripTypeScriptTypes } = require('node:module')
const files = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
process.stdout.write(JSON.stringify(files.map(text => stripTypeScriptTypes(text))))`

/** TypeScript as plain JavaScript, in modules of the same paths. */
export function stripTypes(nodePath: string, sources: readonly StagedFile[]): Module[] {
  const { stdout, stderr } = spawnSync(nodePath, ['--disable-warning=ExperimentalWarning', '-e', strip], {
    input: JSON.stringify(sources.map(({ content }) => content.toString())),
    encoding: 'utf8',
  })
  if (!stdout) throw new Error(`the keeper could not be prepared: ${stderr}`)
  const plain = JSON.parse(stdout) as string[]
  return sources.map(({ path }, at) => ({
    path: path.replace(/\.ts$/, '.mjs'),
    content: plain[at]!.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.mjs'"),
  }))
}
