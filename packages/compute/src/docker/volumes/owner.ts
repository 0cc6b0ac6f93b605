/**
 * A volume's files are those of the user that its machine runs as. Images differ in that, and one machine has a volume at a
 * time: so a start of one whose user is not root gives all of them to that user. Root changes them whosever they are.
 */
import type { ContainerInspectInfo } from 'dockerode'
import { own } from '../agent/session.ts'
import { type Engine, unlessMissing } from '../engine.ts'
import { type View, viewMount } from '../host-config.ts'
import { labels } from '../names.ts'
import { textAt } from './archives.ts'
import { type ProgramNeeds, runProgram } from './run-program.ts'

const isNumber = /^\d{1,10}$/

/** As `uid:gid`; null: root, or nobody whom the engine could run it as. */
export async function userOf(
  engine: Engine,
  { Id, Config }: Pick<ContainerInspectInfo, 'Id' | 'Config'>,
): Promise<string | null> {
  const [user = '', group = ''] = Config.User.split(':')
  if (['', 'root', '0'].includes(user)) return null
  const accounts = linesOf(await textAt(engine, Id, '/etc/passwd'))
  const account = accounts.find(([name, , uid]) => name === user || uid === user)
  const uid = isNumber.test(user) ? user : account?.[2]
  const groups = group && !isNumber.test(group) ? linesOf(await textAt(engine, Id, '/etc/group')) : []
  const gid = isNumber.test(group) ? group : group ? idOf(groups, group) : (account?.[3] ?? '0')
  const ids = [uid, gid].filter(id => id !== undefined && isNumber.test(id))
  return ids.length === 2 && ids[0] !== '0' ? ids.join(':') : null
}

const linesOf = (text: string): string[][] => text.split('\n').map(line => line.split(':'))
const idOf = (lines: readonly string[][], name: string) => lines.find(([each]) => each === name)?.[2]

/**
 * Before a start; for somebody who is not root it takes as long as to go through all files. Whose the top is, is whoever
 * answers for the files from outside: it is root's again before root's machine makes files of its own there. That it is
 * not, is noted by a volume of the engine's with nothing in it.
 */
export async function giveFiles(
  needs: ProgramNeeds,
  ref: string,
  view: View,
  user: string | null,
): Promise<void> {
  const { calls } = needs.engine
  const { names } = needs
  const note = names.part('volume', ref, 'owned')
  const give = (...args: string[]) =>
    runProgram(needs, ref, [viewMount(view, '/volume', ref, names.owned)], [...own('chown'), ...args])
  if (user !== null) {
    const labelled = { ...names.owned, [labels.part]: 'owned', [labels.volume]: ref }
    await calls.createVolume({ Name: note, Labels: labelled })
    await give('-hR', '-P', user, '--', '/volume')
  } else if (await unlessMissing(calls.getVolume(note).inspect())) {
    await give('0:0', '--', '/volume')
    await unlessMissing(calls.getVolume(note).remove())
  }
}
