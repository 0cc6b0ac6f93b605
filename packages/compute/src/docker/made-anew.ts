/**
 * Gives a stopped machine other cards, or another volume. An engine gives a container both when it makes it, and a
 * machine's disk is its container's: so another container is made of what that disk holds, and takes the machine's name
 * when the former is gone. Until then the former is the machine, and what was made beside it is thrown away by the next
 * who tries; from then on the other one is, whoever has to give it the name. So the disk is whole wherever this process
 * is killed.
 *
 * It takes as long as copying what the machine has written, and adds a layer. An engine takes 125 of them: before that the
 * whole disk is made into one, which takes as long as copying all of the image too.
 */
import { createHash } from 'node:crypto'
import type { ContainerInspectInfo, DeviceRequest, MountConfig, MountSettings } from 'dockerode'
import { type Engine, statusOf, unlessMissing } from './engine.ts'
import { labels, type Names } from './names.ts'

/** Behind the name of a machine's container. No machine's id ends so. */
export const besideSuffix = '-beside'
const layersAtMost = 100
const anonymousVolume = /^[0-9a-f]{64}$/

/** What it is to have in place of what it has. */
export interface Changes {
  readonly cards?: DeviceRequest[]
  readonly mounts?: MountSettings[]
  readonly labels?: Readonly<Record<string, string>>
  /** False: what its disk holds, as an image, is in the way of this. */
  readonly fits?: (image: string) => Promise<boolean>
}

export type MadeAnew = ReturnType<typeof createMadeAnew>

export function createMadeAnew({ calls, patient }: Engine, names: Names, mostLayers = layersAtMost) {
  const beside = (ref: string) => names.container(ref) + besideSuffix
  const imageOf = (ref: string) => ({
    repo: 'ingot-disk',
    tag: createHash('sha256').update(names.container(ref)).digest('hex').slice(0, 40),
  })
  const remove = (name: string) => unlessMissing(patient.getContainer(name).remove({ force: true }))

  async function keepDisk(known: ContainerInspectInfo, repo: string, tag: string): Promise<void> {
    const { RootFS } = await calls.getImage(known.Image).inspect()
    const container = patient.getContainer(known.Id)
    if ((RootFS.Layers?.length ?? 0) < mostLayers) {
      await container.commit({ repo, tag, pause: false })
      return
    }
    const report = await patient.importImage(await container.export(), { repo, tag })
    await new Promise<void>((resolve, reject) =>
      patient.modem.followProgress(report, error => (error ? reject(error) : resolve())),
    )
  }

  return {
    /** Names the one that was made where its maker died before that. Called where the machine has no container. */
    async adopt(ref: string): Promise<void> {
      await unlessMissing(calls.getContainer(beside(ref)).rename({ name: names.container(ref) })).catch(
        unlessTaken,
      )
    },

    /** The machine is stopped. False: it does not fit, and all is as it was. */
    async give(ref: string, known: ContainerInspectInfo, changes: Changes): Promise<boolean> {
      await remove(beside(ref))
      const { repo, tag } = imageOf(ref)
      await keepDisk(known, repo, tag)
      if (changes.fits && !(await changes.fits(`${repo}:${tag}`))) {
        if (!known.Config.Labels[labels.disk]) await unlessMissing(calls.getImage(`${repo}:${tag}`).remove())
        return false
      }
      const { Image: _, Hostname, Entrypoint, Cmd, Env, Labels, ...config } = known.Config
      await patient.createContainer({
        ...config,
        Hostname,
        Entrypoint,
        Cmd,
        Env,
        Image: `${repo}:${tag}`,
        Labels: { ...(changes.labels ?? Labels), [labels.disk]: tag },
        name: beside(ref),
        HostConfig: {
          ...known.HostConfig,
          DeviceRequests: changes.cards ?? known.HostConfig.DeviceRequests,
          Mounts: [...(changes.mounts ?? known.HostConfig.Mounts ?? []), ...volumesOf(known)],
        },
      })
      // Its volumes are the other one's now.
      await remove(names.container(ref))
      await this.adopt(ref)
      return true
    },

    /** Nothing but the machine's container had these. */
    async leave(ref: string, { Config, Mounts }: ContainerInspectInfo): Promise<void> {
      if (!Config.Labels[labels.disk]) return
      for (const { Name } of Mounts)
        if (Name && anonymousVolume.test(Name)) await unlessMissing(calls.getVolume(Name).remove())
      const { repo, tag } = imageOf(ref)
      await unlessMissing(calls.getImage(`${repo}:${tag}`).remove({ force: true }))
    },
  }
}

/** Those that the engine made for the image: they go by no name in what the container was made with. */
const volumesOf = ({ Mounts, HostConfig }: ContainerInspectInfo): MountConfig =>
  Mounts.flatMap(({ Type, Name, Destination }) =>
    Type === 'volume' &&
    Name &&
    anonymousVolume.test(Name) &&
    !HostConfig.Mounts?.some(({ Target }) => Target === Destination)
      ? [{ Type: 'volume' as const, Source: Name, Target: Destination }]
      : [],
  )

/** Somebody else was faster. */
function unlessTaken(error: unknown): void {
  if (statusOf(error) !== 409) throw error
}
