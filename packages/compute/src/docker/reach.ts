/**
 * What a stranger's machine would reach of its host and of what stands around it: tried by a container of ours on a
 * network as customers have, against the metadata services of clouds, the host's own addresses where something listens,
 * and the neighbours that the host knows. What takes a connection there is not meant for strangers, save for the
 * public listener.
 */
import type { ContainerCreateOptions } from 'dockerode'
import type { Surroundings } from './agent/reach.ts'
import { own, toolsFolder } from './agent/session.ts'
import { demux } from './demux.ts'
import { type Engine, unlessMissing } from './engine.ts'
import type { Names } from './names.ts'
import type { Networks } from './networks.ts'
import { isInside } from './registries.ts'

/** Of Amazon, Google, Azure and others; Amazon's for containers; Alibaba's; Oracle's; Azure's own agent. */
const metadata = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16']
const metadataPorts = [80, 443]
/** Of neighbours: nobody can try them all. */
const commonPorts = [22, 80, 443, 2375, 2376, 2379, 3306, 5432, 6379, 6443, 8080, 9100, 10250]
const maxTargets = 2_000
const maxAnswer = 1024 * 1024
/** Nobody's machine is on it. */
const tenant = 'probe of what can be reached'

export interface ReachOptions {
  readonly engine: Engine
  readonly names: Names
  readonly networks: Networks
  readonly image: string
  readonly tools: string
  /** On this port of its own addresses the host may be reached. */
  readonly publicPort: number
}

/** As `address:port`. */
export async function findReached(options: ReachOptions): Promise<string[]> {
  const { networks, publicPort } = options
  const around = (await run(options, 'host', ['look'])) as Surroundings
  const network = await networks.placeFor(tenant, tenant)
  if (!network) throw new Error('no network is left')
  try {
    const found = (await run(options, network, [
      'try',
      JSON.stringify(targetsOf(around, publicPort)),
    ])) as string[]
    return found.toSorted()
  } finally {
    networks.settled(tenant)
    await networks.leave(network)
  }
}

/** The likelier first. */
export function targetsOf({ addresses, listeners, neighbours }: Surroundings, publicPort: number): string[] {
  const at = (places: readonly string[], ports: readonly number[]) =>
    places.flatMap(place => ports.map(port => `${place}:${port}`))
  const own = listeners.flatMap(({ address, port }) => at(address === null ? addresses : [address], [port]))
  const hosts = new Set(addresses)
  const others = neighbours.filter(address => isInside(address) && !hosts.has(address))
  const all = [...at(metadata, metadataPorts), ...own, ...at(others, commonPorts)]
  const isPublic = (target: string) =>
    hosts.has(target.slice(0, target.lastIndexOf(':'))) && target.endsWith(`:${publicPort}`)
  return [...new Set(all)].filter(target => !isPublic(target)).slice(0, maxTargets)
}

async function run(
  { engine, names, image, tools }: ReachOptions,
  network: string,
  args: string[],
): Promise<unknown> {
  const { patient } = engine
  const container = await patient.createContainer({
    Image: image,
    Cmd: [...own('node'), `${toolsFolder}/app/docker/agent/reach.mjs`, ...args],
    Labels: { ...names.owned },
    HostConfig: {
      NetworkMode: network,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Mounts: [{ Type: 'volume', Source: tools, Target: toolsFolder, ReadOnly: true }],
    },
  } satisfies ContainerCreateOptions)
  try {
    await container.start()
    await container.wait()
    const stream = await engine.read(`/containers/${container.id}/logs?stdout=1&stderr=1`)
    let problem = ''
    let answer = ''
    for await (const part of stream.pipe(demux(error => void (problem += error.toString())))) {
      answer += String(part)
      if (answer.length > maxAnswer) throw new Error('too long an answer')
    }
    if (!answer) throw new Error(problem.slice(0, 300))
    return JSON.parse(answer)
  } finally {
    await unlessMissing(container.remove({ force: true }))
  }
}
