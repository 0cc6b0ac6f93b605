/**
 * Programs of ours on what a volume holds, in a container that has nothing but that: no network, no disk of its own, no
 * more of root's rights than to read and write what is anybody's there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerCreateOptions, MountSettings } from 'dockerode'
import { own, toolsFolder } from '../agent/session.ts'
import { demux } from '../demux.ts'
import { type Engine, unlessMissing } from '../engine.ts'
import { labels, type Names } from '../names.ts'

export interface ProgramNeeds {
  readonly engine: Engine
  readonly names: Names
  /** The image that our programs were brought in, and the volume that they are in. */
  readonly image: string
  readonly tools: string
}

export type Part = 'files' | 'work'

const mebibyte = 2 ** 20
const maxOutput = 64 * 1024
const endMs = 2_000
const pollMs = 20
const capabilities = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'FSETID', 'SETFCAP', 'SETUID', 'SETGID']

/** As the engine makes it; it is found again by the volume or snapshot that it works on. */
export const programContainer = (
  { names, image, tools }: ProgramNeeds,
  part: Part,
  ref: string,
  mounts: readonly MountSettings[],
): ContainerCreateOptions => ({
  Image: image,
  Labels: { ...names.owned, [labels.part]: part, [labels.volume]: ref },
  HostConfig: {
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    CapAdd: capabilities,
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: 64,
    Memory: 512 * mebibyte,
    MemorySwap: 512 * mebibyte,
    Mounts: [{ Type: 'volume', Source: tools, Target: toolsFolder, ReadOnly: true }, ...mounts],
  },
})

/** To its end, however long it takes; answers what it wrote. Throws what it complained of when it does not end with 0. */
export async function runProgram(
  needs: ProgramNeeds,
  ref: string,
  mounts: readonly MountSettings[],
  command: readonly string[],
): Promise<string> {
  const { engine } = needs
  const container = await engine.patient.createContainer({
    ...programContainer(needs, 'work', ref, mounts),
    Entrypoint: [...command],
  })
  try {
    await container.start()
    const { StatusCode } = (await container.wait()) as { StatusCode: number }
    const log = await engine.read(`/containers/${container.id}/logs?stdout=1&stderr=1`)
    let complaint = ''
    let output = ''
    for await (const part of log.pipe(demux(error => void (complaint += error.toString()))))
      if (output.length < maxOutput) output += String(part)
    if (StatusCode !== 0)
      throw new Error(`a program for a volume ended with ${StatusCode}: ${complaint.slice(0, 500)}`)
    return output
  } finally {
    await unlessMissing(container.remove({ force: true })).catch(() => {})
  }
}

export const script = (lines: readonly string[]): string[] => [...own('sh'), '-c', lines.join('\n')]
export const ownWord = (program: string): string => own(program).join(' ')

export const findPrograms = ({ engine, names }: ProgramNeeds, ref: string, part: Part) =>
  engine.calls.listContainers({
    all: true,
    filters: { label: [...names.filter.label, `${labels.volume}=${ref}`, `${labels.part}=${part}`] },
  })

/** Removes all containers of ours that have to do with it. True when there is none. */
export async function endPrograms(
  needs: ProgramNeeds,
  ref: string,
  parts: readonly Part[],
): Promise<boolean> {
  const { calls } = needs.engine
  // What the engine is removing already it refuses to remove.
  for (const until = performance.now() + endMs; ; await sleep(pollMs)) {
    const found = (await Promise.all(parts.map(part => findPrograms(needs, ref, part)))).flat()
    if (found.length === 0) return true
    if (performance.now() > until) return false
    for (const { Id } of found)
      await unlessMissing(calls.getContainer(Id).remove({ force: true })).catch(() => {})
  }
}
