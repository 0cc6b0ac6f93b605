/**
 * What a container is told on its input by whoever starts it: what it is to be, its variables and its main program. So
 * none of that stands where others could read it: not among the arguments of a process on the engine's host, not in what
 * the engine tells of a container. Its first process is a shell of ours that reads all of it as one command, so half of
 * it does nothing; and nothing that a customer left on the disk has a say in it.
 *
 * Terminals and programs beside the main one find the variables in `runFolder`, in memory, for the image's user alone.
 */
import type { MachineSpec } from '../driver.ts'
import { linksFolder, mountPath, type VolumeMount, volumesFolder } from '../volume-mount.ts'
import { own, runFolder, variablesFile } from './agent/session.ts'

/** What a machine is started with. Variables are written `NAME=value`. */
export interface Given {
  readonly ofImage: readonly string[]
  readonly variables: readonly string[]
  readonly command: readonly string[]
  /** Absent: noted before there were volumes. */
  readonly volume?: GivenVolume | null
}

export interface GivenVolume extends VolumeMount {
  readonly tenant: string
}

/** What a machine does that was given no command: nothing, until it is asked to end. */
const idle = [...own('sleep'), 'infinity']

/** Of an image: they would have a say in what runs before the main program. It gets them all the same. */
export const guarded =
  /^(LD_|NODE_|OPENSSL_|GLIBC_|MALLOC_|PERL|BASH_|GCONV_PATH=|LOCPATH=|ENV=|IFS=|PS4=|SHELLOPTS=|NVIDIA_)/

export const givenOf = (
  { env, command, volume, tenant }: Pick<MachineSpec, 'env' | 'command' | 'volume' | 'tenant'>,
  imageEnv: readonly string[],
): Given => ({
  ofImage: imageEnv.filter(variable => guarded.test(variable)),
  variables: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  command: command ?? idle,
  volume: volume && { ...volume, tenant },
})

const nameOf = (pair: string): string => pair.slice(0, pair.indexOf('=', 1))
const valueOf = (pair: string): string => pair.slice(pair.indexOf('=', 1) + 1)

/** The main program in the shell's place. */
export function runInput({ ofImage, variables: chosen, command, volume = null }: Given): string {
  const pairs = new Map([...ofImage, ...chosen].map(pair => [nameOf(pair), valueOf(pair)]))
  const variables = pairs
    .entries()
    .map(([name, value]) => `${name}=${value}`)
    .toArray()
  const others = variables.filter(pair => !isPlain(pair))
  // The shell takes a “-” for an option of its own.
  const isDirect = others.length === 0 && !command[0]!.startsWith('-')
  return block([
    ...linking(volume?.name ?? null),
    'umask 077',
    `printf %s ${quoted(settingOf(variables))} >${runFolder}/variables`,
    `printf %s ${quoted(JSON.stringify(Object.fromEntries(pairs)))} >${variablesFile}`,
    'umask 022',
    `. ${runFolder}/variables`,
    `exec ${[...(isDirect ? [] : [...own('env'), '--', ...others]), ...command].map(quoted).join(' ')} </dev/null`,
  ])
}

/**
 * The volume is also found in the workspace, by a link that replaces nothing; one that led to a volume before goes. What
 * goes wrong is the customer's doing, and the volume is at its own place all the same.
 */
function linking(name: string | null): string[] {
  const program = (word: string) => own(word).join(' ')
  return [
    `if [ -d ${volumesFolder} ]; then (`,
    `for at in ${volumesFolder}/*; do`,
    'name=${at##*/}',
    `link=${linksFolder}/$name`,
    `[ "$name" != ${quoted(name ?? '')} ] && [ -L "$link" ] || continue`,
    `[ "$(${program('readlink')} -- "$link")" = "$at" ] && ${program('rm')} -- "$link"`,
    'done',
    ...(name === null
      ? []
      : [
          `${program('mkdir')} -p -- ${linksFolder}`,
          `${program('ln')} -sT -- ${quoted(mountPath(name))} ${quoted(`${linksFolder}/${name}`)}`,
        ]),
    ') </dev/null >/dev/null 2>&1; fi',
  ]
}

/** As a shell reads it: it sets what it can, and puts the rest before its own arguments, for `env`. */
function settingOf(variables: readonly string[]): string {
  const plain = variables.filter(isPlain).map(pair => `export ${quoted(pair)}\n`)
  const others = variables.filter(pair => !isPlain(pair))
  return `${plain.join('')}set -- "$@" ${others.map(quoted).join(' ')}\n`
}

/** No shell has a use of its own for it, or refuses it. What else there is stands for a moment among arguments. */
const isPlain = (pair: string): boolean => plainName.test(nameOf(pair)) && !shellsOwn.test(nameOf(pair))
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/
const shellsOwn =
  /^(_|BASH.*|COMP_.*|DIRSTACK|EPOCH.*|E?UID|FUNCNAME|GROUPS|HISTCMD|IFS|LINENO|OPT.*|PIPESTATUS|PPID|PS4|S?RANDOM|SECONDS|SHELLOPTS)$/

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A place for the files of a machine that is stopped, for as long as whoever looks at them holds the connection. */
export const filesInput = block(['read -r line', 'exit 0'])

/** Containers of an earlier version have their variables and command among their arguments, and are told one word. */
export const olderInput = (mode: 'run' | 'files'): string => `${mode}\n`

function block(commands: readonly string[]): string {
  return `{\n${commands.join('\n')}\n}\n`
}
