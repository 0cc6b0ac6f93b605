/**
 * A machine as the engine is asked to make it: a pure function of what was rented and of where it goes. Everything here
 * is on a list of what is allowed. The image ends in `Image` alone; the name becomes a host name made of letters and
 * digits; the command and the environment are not in it at all. No word of a customer's becomes a mount, a device, a
 * capability, a namespace of the host, a runtime, a label or a variable that the engine acts on. Where it has a volume, the
 * last part of the path that it is mounted at is the customer's (`isMountName`).
 */
import type { ContainerCreateOptions, DeviceRequest, HostConfig, MountSettings } from 'dockerode'
import type { MachineSpec } from '../driver.ts'
import { hostnameOf } from '../sandbox/machine-files.ts'
import { own, runFolder, toolsFolder } from './agent/session.ts'
import { guarded } from './input.ts'
import { mountPath } from '../volume-mount.ts'
import { labels } from './names.ts'

export interface Limits {
  readonly cpuCores: number
  readonly memoryBytes: number
  readonly processes: number
  /** Null: the engine can't hold a disk to its size. */
  readonly diskBytes: number | null
  /** False: the engine may not set how many files a program may open, and its own limit counts. */
  readonly canSetOpenFiles: boolean
}

/** Real cards are named by UUID, never by number: numbers change with a reboot. */
export type Cards =
  | { readonly kind: 'none' }
  /** `GPU-…`, or `MIG-…` for a part of a card. */
  | { readonly kind: 'nvidia'; readonly uuids: readonly string[] }
  /** Names of the Container Device Interface, such as `nvidia.com/gpu=GPU-…`. */
  | { readonly kind: 'cdi'; readonly names: readonly string[] }

/** What the machine gets from us, not from its customer. */
export interface Place {
  readonly owned: Readonly<Record<string, string>>
  readonly limits: Limits
  readonly cards: Cards
  readonly network: string
  /** The volume with our own programs. */
  readonly tools: string
  readonly image: ImageFacts
  readonly volume: MountedVolume | null
}

/** A volume of the engine's that shows what a volume of the customer's holds, with the flags of its mount. */
export interface View {
  readonly source: string
  /** Of the engine's driver `local`, which makes it with them where it is not there. */
  readonly options: Readonly<Record<string, string>>
}

export interface MountedVolume {
  readonly ref: string
  readonly name: string
  readonly view: View
}

export interface ImageFacts {
  /** Its digest: a name may mean another image a moment later. */
  readonly id: string
  readonly env: readonly string[]
}

/** What it is to be it is told on its input (`input.ts`). */
const entry = [...own('sh'), '-s']
/** Its variables, twice; each may grow as it is quoted. */
const runFolderBytes = 4 * 2 ** 20
const logs = { 'max-size': '8m', 'max-file': '2' }
/** A program may open many files; the engine's own limit may be as low as 1,024, or so high that programs break on it. */
export const openFiles = { Name: 'nofile', Soft: 65_536, Hard: 524_288 }
const noCoreFiles = { Name: 'core', Soft: 0, Hard: 0 }
const droppedCapabilities = ['NET_RAW', 'MKNOD', 'AUDIT_WRITE']
const mebibyte = 2 ** 20

export function containerOf(spec: MachineSpec, place: Place): ContainerCreateOptions {
  return {
    Image: place.image.id,
    Hostname: hostnameOf(spec.name),
    Entrypoint: entry,
    Cmd: [],
    // What is set here counts for everything that runs in it, our own programs included.
    Env: [...place.image.env.filter(isGuarded).map(blank), ...(place.cards.kind === 'none' ? noCards : [])],
    Labels: {
      ...place.owned,
      [labels.instance]: spec.instanceId,
      [labels.network]: place.network,
      ...volumeLabels(place.volume),
    },
    OpenStdin: true,
    // Whoever starts it says what it is to be, and is the only one who ever does.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: false,
    AttachStderr: false,
    Tty: false,
    StopSignal: 'SIGTERM',
    // An image's own would run for ever, and no machine would ever be idle.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfigOf(place),
  }
}

/** Without it a container under NVIDIA's runtime sees all cards of the host. */
const noCards = ['NVIDIA_VISIBLE_DEVICES=void']
const isGuarded = (variable: string) => guarded.test(variable)
const blank = (variable: string) => variable.slice(0, variable.indexOf('=') + 1)

function hostConfigOf({ limits, cards, network, tools, owned, volume }: Place): HostConfig {
  return {
    ...limitsOf(limits),
    NetworkMode: network,
    IpcMode: 'private',
    Privileged: false,
    AutoRemove: false,
    ReadonlyRootfs: false,
    // Its first process reaps what others leave behind and passes signals on.
    Init: true,
    RestartPolicy: { Name: 'no' },
    SecurityOpt: ['no-new-privileges'],
    CapDrop: droppedCapabilities,
    LogConfig: { Type: 'json-file', Config: logs },
    Ulimits: limits.canSetOpenFiles ? [openFiles, noCoreFiles] : [noCoreFiles],
    DeviceRequests: deviceRequestsOf(cards),
    Mounts: [
      {
        Type: 'volume',
        Source: tools,
        Target: toolsFolder,
        ReadOnly: true,
        VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } },
      },
      {
        Type: 'tmpfs',
        Source: '',
        Target: runFolder,
        TmpfsOptions: { SizeBytes: runFolderBytes, Mode: 0o1777 },
      },
      ...volumeMounts(volume, owned),
    ],
  }
}

/** Always said: an image has labels too. */
export const volumeLabels = (volume: MountedVolume | null): Readonly<Record<string, string>> => ({
  [labels.volume]: volume?.ref ?? '',
})

/** That it is read-only is the view's affair: an engine's own way takes the other flags off. */
export const volumeMounts = (
  volume: MountedVolume | null,
  owned: Readonly<Record<string, string>>,
): MountSettings[] => (volume ? [viewMount(volume.view, mountPath(volume.name), volume.ref, owned)] : [])

export const viewMount = (
  { source, options }: View,
  target: string,
  ref: string,
  owned: Readonly<Record<string, string>>,
): MountSettings => ({
  Type: 'volume',
  Source: source,
  Target: target,
  ReadOnly: false,
  VolumeOptions: {
    NoCopy: true,
    Labels: { ...owned, [labels.part]: 'view', [labels.volume]: ref },
    DriverConfig: { Name: 'local', Options: { ...options } },
  },
})

/** Of what a container was made with: the mount of its volume. */
export const isViewMount = ({ VolumeOptions }: MountSettings): boolean =>
  // The engine leaves out what is empty.
  (VolumeOptions?.Labels as Record<string, string> | undefined)?.[labels.part] === 'view'

/** Also what a machine that exists is changed to when it has another size. */
export const limitsOf = ({ cpuCores, memoryBytes, processes, diskBytes }: Limits): HostConfig => ({
  NanoCpus: Math.round(cpuCores * 1e9),
  Memory: memoryBytes,
  // Memory and swap together: no swap.
  MemorySwap: memoryBytes,
  PidsLimit: processes,
  // Part of its memory, in which programs for cards pass data on.
  ShmSize: Math.max(64 * mebibyte, Math.floor(memoryBytes / 2)),
  ...(diskBytes === null ? {} : { StorageOpt: { size: String(diskBytes) } }),
})

export function deviceRequestsOf(cards: Cards): DeviceRequest[] {
  if (cards.kind === 'none') return []
  if (cards.kind === 'cdi') return [{ Driver: 'cdi', DeviceIDs: [...cards.names] }]
  return [{ Driver: 'nvidia', DeviceIDs: [...cards.uuids], Capabilities: [['gpu', 'compute', 'utility']] }]
}

/** Null: the engine can make it. A variable may stand before the command, so a program's name holds no “=”. */
export function refusedSpec(spec: MachineSpec): string | null {
  const texts = [spec.image, ...(spec.command ?? []), ...Object.entries(spec.env).flat()]
  if (texts.some(text => text.includes('\0'))) return 'A command or variable holds no NUL characters.'
  if (Object.keys(spec.env).some(name => name === '' || name.includes('=')))
    return 'A variable’s name is not empty and holds no “=”.'
  if (spec.command && (!spec.command[0] || spec.command[0].includes('=')))
    return 'The command’s first part is the name of a program.'
  return null
}
