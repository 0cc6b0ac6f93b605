/**
 * Our own programs for containers: a loader, a few libraries, a shell, `env`, `sleep`, Node and the agent, in a volume
 * that every machine mounts read-only at `/.ingot`. So an image needs nothing but what its customer wants of it, and what
 * happens before the main program and beside it is not up to the image or to what a customer left on the disk: the
 * loader is a copy that reads no `/etc/ld.so.preload` and no cache of the machine's.
 *
 * It is made of this host's files, once per version of them, and therefore needs an engine of the same architecture.
 * The volume is filled by the engine from an image that we import, and is looked through before it is used.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { packageFiles, place, type StagedFile, stripTypes } from '../sandbox/runtime.ts'

const source = join(import.meta.dirname, '..')
const programs: Readonly<Record<string, string>> = {
  sh: '/bin/sh',
  env: '/usr/bin/env',
  sleep: '/bin/sleep',
  mkfifo: '/usr/bin/mkfifo',
  // For volumes.
  chown: '/bin/chown',
  ln: '/bin/ln',
  mkdir: '/bin/mkdir',
  readlink: '/bin/readlink',
  rm: '/bin/rm',
  tar: '/bin/tar',
}
const scripts = ['terminal', 'end']
/** Where the loader would look for what a machine has, and as long a name of what it has not. */
const blinded: readonly [string, string][] = [
  ['/etc/ld.so.preload', '/.ingot/no-preload'],
  ['/etc/ld.so.cache', '/.ingot/no-cache'],
]

export interface Tools {
  readonly version: string
  readonly files: readonly StagedFile[]
}

/** Reads what it is made of. Throws when a part is missing from this host. */
export function findTools(): Tools {
  const files = stagedFiles()
  const hash = createHash('sha256').update(process.version)
  for (const { path, content } of files) hash.update(`${path}\0`).update(content).update('\0')
  return { version: hash.digest('hex').slice(0, 16), files }
}

/** As a stream of tar with a folder `.ingot`, owned by root. */
export function packTools({ files }: Tools): Readable {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-tools-'))
  const inside = join(folder, '.ingot')
  // A place for what is in memory, which gets its mode from it: an image may have any user.
  mkdirSync(join(inside, 'run'), { recursive: true })
  chmodSync(join(inside, 'run'), 0o1777)
  for (const file of files) place(inside, file)
  copyFileSync(process.execPath, join(inside, 'bin/node'), constants.COPYFILE_FICLONE)
  writeManifest(inside, [...files.map(({ path }) => path), 'bin/node'])
  const owner = ['--owner=0', '--group=0', '--numeric-owner']
  const tar = spawn('tar', ['-c', ...owner, '-C', folder, '.ingot'], { stdio: ['ignore', 'pipe', 'inherit'] })
  tar.once('close', () => rmSync(folder, { recursive: true, force: true }))
  return tar.stdout
}

/** What is there is checked against it: an engine may have been stopped while it copied. */
function writeManifest(folder: string, paths: readonly string[]): void {
  const sizes = Object.fromEntries(paths.map(path => [path, statSync(join(folder, path)).size]))
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(sizes))
}

function stagedFiles(): StagedFile[] {
  const executables = Object.entries(programs).map(([name, path]) => ({ name, path: realpathSync(path) }))
  const native = packageFiles()
  return [
    ...executables.map(({ name, path }) => ({
      path: `bin/${name}`,
      content: readFileSync(path),
      mode: 0o755 as const,
    })),
    ...libraryFiles([...executables.map(({ path }) => path), process.execPath, nativeModule()]),
    ...scripts.map(name => ({
      path: name,
      content: readFileSync(join(import.meta.dirname, 'inside', name)),
      mode: 0o644 as const,
    })),
    ...native,
    ...agentFiles(),
    // Nothing of the machine's is read in its place.
    { path: 'package.json', content: '{"type":"module"}', mode: 0o644 },
    { path: 'openssl.cnf', content: '', mode: 0o644 },
  ]
}

function nativeModule(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('@lydell/node-pty'))
  return require.resolve(`@lydell/node-pty-linux-${process.arch}/pty.node`)
}

/** The agent and what it shares with the sandbox's keeper, in the folders that they import each other from. */
function agentFiles(): StagedFile[] {
  const paths = globSync(
    [
      'docker/agent/*.ts',
      'sandbox/agent/*.ts',
      'sandbox/wire/{frames,files}.ts',
      'sandbox/volumes/sum-program.ts',
    ],
    { cwd: source },
  )
    .filter(path => !path.endsWith('.test.ts'))
    .toSorted()
  const sources = paths.map(path => ({
    path: `app/${path}`,
    content: readFileSync(join(source, path)),
    mode: 0o644 as const,
  }))
  return stripTypes(process.execPath, sources).map(file => ({ ...file, mode: 0o644 as const }))
}

function libraryFiles(binaries: readonly string[]): StagedFile[] {
  const { stdout, stderr } = spawnSync('ldd', binaries, { encoding: 'utf8' })
  const libraries = new Map<string, string>()
  for (const [, path] of stdout.matchAll(/=> (\/\S+) \(0x/g)) libraries.set(basename(path!), path!)
  const loader = /^\s+(\/\S*\/ld-linux\S*) \(0x/m.exec(stdout)?.[1]
  if (!loader) throw new Error(`no loader of the GNU C library was found: ${stderr.slice(0, 200)}`)
  return [
    { path: 'lib/ld.so', content: blind(readFileSync(loader)), mode: 0o755 },
    ...[...libraries].map(([name, path]) => ({
      path: `lib/${name}`,
      content: readFileSync(path),
      mode: 0o755 as const,
    })),
  ]
}

/** The loader honours these files in whatever root it runs in: a customer's would be loaded into our programs. */
function blind(loader: Buffer): Buffer {
  const blind = Buffer.from(loader)
  for (const [name, nothing] of blinded) {
    const at = blind.indexOf(`${name}\0`)
    if (at === -1 || blind.indexOf(`${name}\0`, at + 1) !== -1)
      throw new Error(`this host’s loader does not name ${name} once`)
    blind.write(nothing, at)
  }
  return blind
}
