/**
 * Puts our own programs onto an engine (`tools.ts`): an image that is imported once, and from it a volume that the engine
 * fills when a container first mounts it. Every driver that opens has a container look the volume through, which also
 * shows that the engine can run one at all; a volume that is not whole is made anew.
 */
import { finished } from 'node:stream/promises'
import { complaintOf, type Engine, statusOf, unlessMissing } from './engine.ts'
import { own, toolsFolder } from './agent/session.ts'
import { openFiles } from './host-config.ts'
import { labels, type Names } from './names.ts'
import { packTools, type Tools } from './tools.ts'

/** Content under a name that says which: installations share it. */
const imageOf = ({ version }: Tools) => `ingot-tools:${version}`
const maxReport = 64 * 1024

export interface Installed {
  readonly volume: string
  readonly canSetOpenFiles: boolean
}

/** Throws where the engine can't do it. `isAlone`: no other server of this installation uses the engine. */
export async function installTools(
  engine: Engine,
  names: Names,
  tools: Tools,
  isAlone: boolean,
): Promise<Installed> {
  const volume = names.tools(tools.version)
  const { calls } = engine
  // Another server's own version is made of its host's files, and may be in use at any moment.
  if (isAlone) await sweep(engine, names, volume)
  if (!(await unlessMissing(calls.getImage(imageOf(tools)).inspect()))) await importImage(engine, tools)
  for (let attempt = 0, canSetOpenFiles = true; ; attempt++) {
    await calls.createVolume({ Name: volume, Labels: { ...names.owned, [labels.tools]: tools.version } })
    const problem = await check(engine, names, tools, { volume, canSetOpenFiles })
    if (!problem) return { volume, canSetOpenFiles }
    if (attempt === 2) throw new Error(problem)
    // An engine may itself be held to less.
    if (/rlimit/.test(problem)) canSetOpenFiles = false
    else await calls.getVolume(volume).remove()
  }
}

async function importImage({ patient }: Engine, tools: Tools): Promise<void> {
  const [repo, tag] = imageOf(tools).split(':')
  const report = await patient.importImage(packTools(tools), { repo, tag })
  let text = ''
  report.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-maxReport)
  })
  await finished(report)
  if (text.includes('"error"')) throw new Error(`our programs could not be imported: ${text.slice(-300)}`)
}

/** Null: it is whole. */
async function check(
  { patient }: Engine,
  names: Names,
  tools: Tools,
  { volume, canSetOpenFiles }: Installed,
): Promise<string | null> {
  const container = await patient.createContainer({
    Image: imageOf(tools),
    Cmd: [...own('node'), `${toolsFolder}/app/docker/agent/agent.mjs`, '--check'],
    Labels: { ...names.owned },
    HostConfig: {
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      Ulimits: canSetOpenFiles ? [openFiles] : [],
      SecurityOpt: ['no-new-privileges'],
      Mounts: [{ Type: 'volume', Source: volume, Target: toolsFolder }],
    },
  })
  try {
    await container.start()
    const { StatusCode } = (await container.wait()) as { StatusCode: number }
    return StatusCode === 0 ? null : `our programs are not whole on the engine (${StatusCode})`
  } catch (error) {
    return `the engine runs no container: ${complaintOf(error)}`
  } finally {
    await container.remove({ force: true }).catch(() => {})
  }
}

/** What earlier versions left and no machine uses any more; what checks left that were cut off. */
async function sweep({ calls }: Engine, names: Names, current: string): Promise<void> {
  const containers = await calls.listContainers({ all: true, filters: names.filter })
  for (const { Id, Labels, State } of containers)
    if (!Labels[labels.instance] && ['exited', 'created'].includes(State))
      await calls.getContainer(Id).remove().catch(unlessInUse)
  const { Volumes } = await calls.listVolumes({ filters: { label: [...names.filter.label] } })
  for (const { Name, Labels } of Volumes ?? [])
    if (Labels?.[labels.tools] && Name !== current) await calls.getVolume(Name).remove().catch(unlessInUse)
}

function unlessInUse(error: unknown): void {
  if (![404, 409].includes(statusOf(error) ?? 0)) throw error
}
