/**
 * What is generated for machines: their `/etc`, which all machines of a host share, and the few files that tell each
 * who it is. Made from the host and the spec alone and seen read-only inside, so a customer can neither change them nor
 * make us write anywhere else.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { MachineSpec } from '../driver.ts'
import type { VolumeLinks } from './agent/volume-links.ts'
import { cardsOf, makeFolder } from './machine-store.ts'
import { hostEtcFolders, machinePath, runtimePath } from './machine-view.ts'

/** A host name from whatever the customer called the instance. */
export function hostnameOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '')
  return slug || 'instance'
}

/** Files of the host that are taken as they are; they change when the host is updated. */
const hostFiles = [
  'os-release',
  'ld.so.cache',
  'ld.so.conf',
  'services',
  'protocols',
  'mime.types',
  'inputrc',
]

/** The files of `/etc`. Those that differ from machine to machine are links to where a machine finds its own. */
export function etcFiles(): Record<string, Buffer | string> {
  const taken = hostFiles.flatMap(name => {
    const content = readOrNull(join('/etc', name))
    return content ? [[name, content] as const] : []
  })
  return {
    ...Object.fromEntries(taken),
    passwd: 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
    group: 'root:x:0:\nnogroup:x:65534:\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n',
    'resolv.conf': '# This sandbox has no network.\n',
    profile: '[ -n "$BASH" ] && . /etc/bash.bashrc\n',
    'bash.bashrc': `. ${runtimePath}/bashrc\n`,
  }
}

export const etcLinks: Readonly<Record<string, string>> = {
  hostname: `${machinePath}/hostname`,
  hosts: `${machinePath}/hosts`,
}

/** Folders of `/etc` over which the host's are bound. */
export const etcFolders = (): string[] =>
  hostEtcFolders.filter(name => statSync(join('/etc', name), { throwIfNoEntry: false })?.isDirectory())

/** Put into a new machine's home. Hosts differ in which files their bash reads by itself. */
export const homeBashrc = '[ -f /etc/bash.bashrc ] && . /etc/bash.bashrc\n'

/** What its customer has set is nobody else's on the host: only the keeper and the clerk read it. */
const secretFile = 'shell.json'

/** What a machine is told about itself: read by its keeper, its shell and its commands. */
export function writeMachineFiles(
  folder: string,
  spec: MachineSpec,
  uid: number | null,
  volumes: VolumeLinks = { name: null, before: [] },
): void {
  const hostname = hostnameOf(spec.name)
  makeFolder(folder, 0o755)
  const files = {
    hostname: `${hostname}\n`,
    hosts: `127.0.0.1 localhost ${hostname}\n::1 localhost ip6-localhost ip6-loopback\n`,
    prompt: `PS1='root@${hostname}:\\w# '\n`,
    [secretFile]: JSON.stringify({ ...shellOf(spec), volumes }),
    gpu: [
      `GPU_NAME='NVIDIA ${spec.gpuType.replaceAll(/[^\w .-]/g, '')}'`,
      `GPU_COUNT=${Math.trunc(spec.gpuCount)}`,
      `GPU_MEMORY_MIB=${gpuMemoryMib(spec)}`,
      `GPU_SEED=${spec.instanceId.replaceAll(/\W/g, '')}`,
      '',
    ].join('\n'),
  }
  for (const [name, text] of Object.entries(files)) writeInside(folder, name, text, uid)
}

/** What the keeper of a machine is told that is nobody's yet. */
export function writeSpareFiles(folder: string, uid: number | null): void {
  makeFolder(folder, 0o755)
  writeInside(folder, secretFile, JSON.stringify({ isSpare: true }), uid)
}

/** Takes the place of the one before at once: the keeper takes a moment without it for the end of the machine. */
function writeInside(folder: string, name: string, text: string, uid: number | null): void {
  const path = join(folder, name)
  const next = `${path}.new`
  const mode = name !== secretFile ? 0o644 : uid === null ? 0o600 : 0o640
  // One of before may be open to everybody.
  rmSync(next, { force: true })
  writeFileSync(next, text, { mode: 0o600 })
  if (uid !== null) chownSync(next, 0, uid)
  chmodSync(next, mode)
  renameSync(next, path)
}

/** Ours come first. With real cards the host's own `nvidia-smi` answers. */
const ownCommands = (spec: MachineSpec): string =>
  [...(cardsOf(spec).length > 0 ? [] : [`${runtimePath}/simulated`]), `${runtimePath}/bin`].join(':')

const shellOf = (spec: MachineSpec) => ({
  file: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
  args: [],
  cwd: '/workspace',
  env: {
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    HOME: '/root',
    USER: 'root',
    LOGNAME: 'root',
    SHELL: '/bin/bash',
    PATH: `${ownCommands(spec)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    INGOT_INSTANCE_ID: spec.instanceId,
    ...spec.env,
  },
  command: spec.command ?? null,
})

/** What cards of these types report, which is not their size in gigabytes times 1024. */
const reportedMib: Readonly<Record<string, number>> = {
  'RTX 4090': 24576,
  A40: 48128,
  'A100 40GB': 40960,
  V100: 32768,
}
const gpuMemoryMib = (spec: MachineSpec): number =>
  reportedMib[spec.gpuType] ?? Math.trunc(spec.gpuMemoryGb * 1024)

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}
