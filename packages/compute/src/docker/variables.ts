/** The variables that a customer and an image set, as they stand in a container that was made: before the command. */
import type { ContainerInspectInfo } from 'dockerode'

const assignment = /^[^=]+=/s

/** As `NAME=value`. The command's first part holds no “=” (`refusedSpec`). */
export function variablesOf({ Cmd }: Pick<ContainerInspectInfo['Config'], 'Cmd'>): string[] {
  const end = Cmd.findIndex(part => !assignment.test(part))
  return Cmd.slice(0, end === -1 ? Cmd.length : end)
}
