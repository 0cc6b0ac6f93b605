/**
 * Containers of an earlier version have the variables of their customer and image among their arguments, before the
 * command; later ones are told both on their input, and have no arguments.
 */
import type { ContainerInspectInfo } from 'dockerode'

const assignment = /^[^=]+=/s

/** As `NAME=value`. The command's first part holds no “=” (`refusedSpec`). */
export function variablesOf({ Cmd }: Pick<ContainerInspectInfo['Config'], 'Cmd'>): string[] {
  if (!Cmd) return []
  const end = Cmd.findIndex(part => !assignment.test(part))
  return Cmd.slice(0, end === -1 ? Cmd.length : end)
}

export const isOlder = ({ Cmd }: Pick<ContainerInspectInfo['Config'], 'Cmd'>): boolean =>
  (Cmd ?? []).length > 0
