/**
 * Volumes kept by an engine alone, wherever it is: each is a volume of its driver `local`, and so is a snapshot. Labels of
 * a volume of an engine never change, and it is made at once or not at all. So what is known of a customer's volume are
 * further volumes, with nothing in them:
 *
 *   volume-<ref>.data         what it holds, in `files`; beside it what an overlay needs
 *   volume-<ref>.size-<n>     it is whole, and has this size; the largest counts
 *   snapshot-<ref>.content    the files, without their holes
 *   snapshot-<ref>            it is whole: how large, and its sum
 *   view-<ref>                what a container mounts: an overlay of nothing but `files`, since a mount of a folder of the
 *                             engine's would have none of the flags that it must have
 *
 * Nobody writes to `files` beside that overlay while it is mounted. Nothing here is on the server's own disk.
 */
import { randomUUID } from 'node:crypto'
import type { MountSettings, VolumeInspectInfo } from 'dockerode'
import { done, type Ref } from '../../driver.ts'
import type { KeptSnapshot, KeptVolume, VolumeKeep } from '../../sandbox/volumes/store.ts'
import type { VolumeSpec } from '../../volumes.ts'
import { own, toolsFolder } from '../agent/session.ts'
import { complaintOf, statusOf, unlessMissing } from '../engine.ts'
import { type View, viewMount } from '../host-config.ts'
import { labels } from '../names.ts'
import { endPrograms, ownWord, type ProgramNeeds, runProgram, script } from './run-program.ts'

const mark = {
  volumeId: 'ingot.volume-id',
  tenant: 'ingot.volume-tenant',
  size: 'ingot.size',
  data: 'ingot.data',
  snapshot: 'ingot.snapshot',
  snapshotId: 'ingot.snapshot-id',
  used: 'ingot.used',
  sum: 'ingot.sum',
} as const

export interface EngineVolume extends KeptVolume {
  /** The engine's volume with its content, and where that lies on its host. */
  readonly data: string
  readonly path: string
}

const [dataAt, contentAt] = ['/data', '/content']
const tar = own('tar')
const what = ['--sparse', '--numeric-owner', '--xattrs']
const sumProgram = [...own('node'), `${toolsFolder}/app/sandbox/volumes/sum-program.mjs`]
/** For an overlay: an empty folder to lie on, and one to work in. */
const aside = `${ownWord('mkdir')} -p ${dataAt}/lower ${dataAt}/work`

export function engineKeep(needs: ProgramNeeds): VolumeKeep<EngineVolume, EngineVolume> {
  const { calls } = needs.engine
  const { names } = needs
  const mounted = (source: string, target: string, isReadOnly: boolean): MountSettings => ({
    Type: 'volume',
    Source: source,
    Target: target,
    ReadOnly: isReadOnly,
    VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: 'local', Options: {} } },
  })

  async function found(...wanted: string[]): Promise<VolumeInspectInfo[]> {
    const filters = { label: [...names.filter.label, ...wanted] }
    return (await calls.listVolumes({ filters })).Volumes ?? []
  }
  const partsOf = (ref: Ref) => found(`${labels.volume}=${ref}`)

  const make = (name: string, part: string, more: Readonly<Record<string, string>>) =>
    calls.createVolume({ Name: name, Labels: { ...names.owned, [labels.part]: part, ...more } })
  const remove = (name: string) => unlessMissing(calls.getVolume(name).remove())

  async function beginData(ref: Ref, { volumeId, tenant, sizeGb }: VolumeSpec): Promise<string> {
    if (!(await discard(ref))) throw new Error('what was left of it is still in use')
    const data = names.part('volume', ref, 'data')
    await make(data, 'data', {
      [labels.volume]: ref,
      [mark.volumeId]: volumeId,
      [mark.tenant]: tenant,
      [mark.size]: String(sizeGb),
    })
    return data
  }

  /** From now on it exists, and has this size. */
  const note = (ref: Ref, data: string, sizeGb: number) =>
    make(names.part('volume', ref, `size-${sizeGb}`), 'size', {
      [labels.volume]: ref,
      [mark.size]: String(sizeGb),
      [mark.data]: data,
    })

  const sizeOf = ({ Labels }: VolumeInspectInfo): number => Number(Labels[mark.size])
  const specOf = ({ Labels }: VolumeInspectInfo, sizeGb: number): VolumeSpec => ({
    volumeId: Labels[mark.volumeId] ?? '',
    tenant: Labels[mark.tenant] ?? '',
    sizeGb,
  })
  const isPart = (part: string) => (each: VolumeInspectInfo) => each.Labels[labels.part] === part

  function volumeIn(parts: readonly VolumeInspectInfo[]): EngineVolume | null {
    const size = parts.filter(isPart('size')).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]
    const data = size && parts.find(({ Name }) => Name === size.Labels[mark.data])
    return data ? { spec: specOf(data, sizeOf(size)), data: data.Name, path: data.Mountpoint } : null
  }

  async function discard(ref: Ref): Promise<boolean> {
    const parts = await partsOf(ref)
    // What says that it is whole goes first.
    for (const part of ['size', 'data']) {
      if (part === 'data') await endPrograms(needs, ref, ['work', 'files'])
      for (const { Name } of parts.filter(isPart(part))) await remove(Name).catch(unlessInUse)
    }
    return !(await partsOf(ref)).some(each => isPart('size')(each) || isPart('data')(each))
  }

  async function snapshotsIn(parts: readonly VolumeInspectInfo[]) {
    const isWhole = new Set(parts.filter(isPart('snapshot')).map(each => each.Labels[mark.snapshot]))
    return parts
      .filter(each => isPart('snapshot')(each) || !isWhole.has(each.Labels[mark.snapshot]))
      .map(({ Labels }) => ({
        ref: Labels[mark.snapshot] ?? '',
        snapshotId: Labels[mark.snapshotId] ?? '',
        volumeId: Labels[mark.volumeId] ?? '',
        sizeGb: Number(Labels[mark.size]),
        usedBytes: Labels[mark.used] === undefined ? null : Number(Labels[mark.used]),
        sha256: Labels[mark.sum] ?? '',
      }))
  }

  async function discardSnapshot(ref: Ref): Promise<boolean> {
    await remove(names.part('snapshot', ref))
    await endPrograms(needs, ref, ['work'])
    await remove(names.part('snapshot', ref, 'content')).catch(unlessInUse)
    return (await found(`${mark.snapshot}=${ref}`)).length === 0
  }

  async function summed(ref: Ref, mounts: MountSettings[], args: readonly string[]) {
    const said = await runProgram(needs, ref, mounts, [...sumProgram, ...args])
    const [, sum, bytes] = /^([0-9a-f]{64})\n(\d+)$/m.exec(said) ?? []
    if (!sum) throw new Error(`there is no sum in: ${said.slice(0, 500)}`)
    return { sum, bytes: Number(bytes) }
  }

  return {
    growsInUse: true,
    volume: async ref => volumeIn(await partsOf(ref)),

    async draft(ref) {
      const parts = await partsOf(ref)
      const data = volumeIn(parts) ? undefined : parts.find(isPart('data'))
      return data ? { spec: specOf(data, sizeOf(data)) } : null
    },

    async snapshot(ref) {
      const kept = (await snapshotsIn(await found(`${mark.snapshot}=${ref}`)))[0]
      return kept && kept.usedBytes !== null ? kept : null
    },

    async list() {
      const all = await found(labels.part)
      const isOfVolume = (each: VolumeInspectInfo) => isPart('data')(each) || isPart('size')(each)
      const refs = all.filter(isOfVolume).map(({ Labels }) => Labels[labels.volume] ?? '')
      return {
        volumes: [...new Set(refs)],
        snapshots: await snapshotsIn(all.filter(({ Labels }) => Labels[mark.snapshot] !== undefined)),
      }
    },

    async make(ref, spec) {
      const data = await beginData(ref, spec)
      await runProgram(
        needs,
        ref,
        [mounted(data, dataAt, false)],
        script([`${ownWord('mkdir')} -p ${dataAt}/files`, aside]),
      )
      await note(ref, data, spec.sizeGb)
    },

    usedBytes: async () => null,
    enlarge: async (ref, { data }, sizeGb) => void (await note(ref, data, sizeGb)),

    async pack(key, snapshotId, _ref, { spec, data }): Promise<KeptSnapshot> {
      if (!(await discardSnapshot(key))) throw new Error('what was left of it is still in use')
      const { volumeId, sizeGb } = spec
      const own = {
        [mark.snapshot]: key,
        [mark.snapshotId]: snapshotId,
        [mark.volumeId]: volumeId,
        [mark.size]: String(sizeGb),
      }
      const content = names.part('snapshot', key, 'content')
      await make(content, 'content', own)
      const from = ['--one-file-system', '--file', '-', '--directory', dataAt, '--', 'files']
      const { sum, bytes } = await summed(
        key,
        [mounted(data, dataAt, true), mounted(content, contentAt, false)],
        ['keep', `${contentAt}/tar`, ...tar, '--create', ...what, ...from],
      )
      await make(names.part('snapshot', key), 'snapshot', {
        ...own,
        [mark.used]: String(bytes),
        [mark.sum]: sum,
      })
      return { snapshotId, volumeId, sizeGb, usedBytes: bytes, sha256: sum }
    },

    async unpack(key, spec, ref, { sha256 }) {
      const content = mounted(names.part('snapshot', ref, 'content'), contentAt, true)
      if ((await summed(key, [content], ['sum', `${contentAt}/tar`])).sum !== sha256) return false
      const data = await beginData(key, spec)
      const to = ['--same-permissions', '--file', `${contentAt}/tar`, '--directory', dataAt, '--', 'files']
      await runProgram(
        needs,
        key,
        [content, mounted(data, dataAt, false)],
        script([`${ownWord('tar')} --extract ${[...what, ...to].join(' ')} || exit 1`, aside]),
      )
      await note(key, data, spec.sizeGb)
      return true
    },

    discard,
    discardSnapshot,
    place: async (_ref, kept) => done(kept),
    // The engine takes its own mounts back.
    isPlaced: () => false,
    release: async () => true,
  }
}

export const engineView = (source: string, { path }: EngineVolume, isReadOnly: boolean): View => ({
  source,
  options: isReadOnly
    ? { type: 'none', device: `${path}/files`, o: 'bind,ro,nosuid,nodev' }
    : {
        type: 'overlay',
        device: 'overlay',
        o: `lowerdir=${path}/lower,upperdir=${path}/files,workdir=${path}/work,nosuid,nodev`,
      },
})

/** Why this engine can't mount such a view; null: it can, and what is written through it is there. */
export async function whyNoView(
  needs: ProgramNeeds,
  keep: VolumeKeep<EngineVolume, EngineVolume>,
): Promise<string | null> {
  const ref = `probe-${randomUUID().slice(0, 8)}`
  try {
    await keep.make(ref, { volumeId: ref, tenant: 'probe', sizeGb: 1 })
    const kept = (await keep.volume(ref))!
    for (const [isReadOnly, act] of [
      [false, 'echo mark >/volume/mark'],
      [true, 'read -r line </volume/mark && [ "$line" = mark ]'],
    ] as const) {
      const view = engineView(needs.names.part('view', ref, isReadOnly ? 'ro' : undefined), kept, isReadOnly)
      await runProgram(needs, ref, [viewMount(view, '/volume', ref, needs.names.owned)], script([act]))
    }
    return null
  } catch (error) {
    return complaintOf(error)
  } finally {
    await keep.discard(ref).catch(() => false)
  }
}

/** A container that mounts it is on its way out. */
function unlessInUse(error: unknown): void {
  if (statusOf(error) !== 409) throw error
}
