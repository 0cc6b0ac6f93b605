/** What every driver refuses before it does anything: the same for all of them, in the same words. */
import { type Answer, type Command, failed, type FileFault, maxCommandBytes } from './driver.ts'
import { isMountName, type VolumeMount } from './volume-mount.ts'
import { maxVolumeGb, type VolumeSpec } from './volumes.ts'

const hasNul = (text: string) => text.includes('\0')
const maxPathBytes = 4_095
const maxArguments = 1_000

/** Null: it can be run. */
export function refusedCommand({ command, env = {}, cwd }: Command): Answer<never> | null {
  const variables = Object.entries(env)
  const texts = [...command, ...variables.flat(), cwd ?? '']
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0)
  if (!command[0]) return failed('rejected', 'There is no command to run.')
  if (texts.some(hasNul)) return failed('rejected', 'A command holds no NUL characters.')
  if (variables.some(([name]) => name === '' || name.includes('=')))
    return failed('rejected', 'A variable’s name is not empty and holds no “=”.')
  if (bytes > maxCommandBytes || texts.length > maxArguments)
    return failed(
      'rejected',
      'The command is too long: arguments and environment take at most 128 KiB together.',
    )
  if (cwd !== undefined && (!cwd.startsWith('/') || Buffer.byteLength(cwd) > maxPathBytes))
    return failed('rejected', 'The folder to start in is not an absolute path.')
  return null
}

export const refusedPort = (port: number): Answer<never> | null =>
  Number.isInteger(port) && port >= 1 && port <= 65_535
    ? null
    : failed('rejected', 'A port is a whole number from 1 to 65535.')

const maxPathLength = 4_096
const maxNameLength = 255

const isShort = (text: string, bytes: number) => text.length <= bytes && Buffer.byteLength(text) <= bytes

/** An absolute path that a file could have. Half a character is no UTF-8. */
export const isPath = (path: string): boolean =>
  path.startsWith('/') &&
  !hasNul(path) &&
  path.isWellFormed() &&
  isShort(path, maxPathLength) &&
  path.split('/').every(name => isShort(name, maxNameLength))

/** A place or an amount in a file. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

const faultWords: Record<FileFault, string> = {
  not_found: 'There is no such file or folder.',
  exists: 'Something with this name is already there.',
  not_a_file: 'This is not a file.',
  not_a_folder: 'This is not a folder.',
  not_empty: 'The folder is not empty.',
  no_access: 'This can’t be read or changed.',
  no_space: 'There is no space left for this.',
  bad_path: 'This path can’t be used.',
}

/** What is wrong with a call on a file, in the words of all drivers unless one knows better. */
export const refusedFile = (fault: FileFault, message = faultWords[fault]): Answer<never> => ({
  kind: 'failed',
  failure: 'rejected',
  message,
  fault,
})

const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const maxTenantBytes = 200

/** Keys of volumes and snapshots become file names. */
export const refusedKey = (key: string): Answer<never> | null =>
  idPattern.test(key) ? null : failed('rejected', 'This id can’t be used here.')

/** Null: such a tenant can be noted. */
export const refusedTenant = (tenant: string): Answer<never> | null =>
  !tenant || !isShort(tenant, maxTenantBytes) || /[\0/]/.test(tenant)
    ? failed('rejected', 'This owner can’t be used here.')
    : null

export function refusedVolume({ volumeId, tenant, sizeGb }: VolumeSpec, key: string): Answer<never> | null {
  return refusedKey(key) ?? refusedKey(volumeId) ?? refusedTenant(tenant) ?? refusedSize(sizeGb)
}

export const refusedSize = (sizeGb: number): Answer<never> | null =>
  Number.isInteger(sizeGb) && sizeGb >= 1 && sizeGb <= maxVolumeGb
    ? null
    : failed('rejected', `A volume has from 1 to ${maxVolumeGb} GB.`)

export const refusedMount = ({ name }: VolumeMount): Answer<never> | null =>
  isMountName(name) ? null : failed('rejected', 'A volume can’t be mounted by this name.')
