/**
 * The commands of the simulated shell, as data: what `help` says of each, and what it prints. A command given
 * arguments that it does not simulate says so instead of inventing a result.
 */
import { dateLine, uptimeLine } from './clock-text.ts'
import { hostname, type MachineFacts } from './facts.ts'
import { find, home, list, readLines, resolve, which } from './files.ts'
import { nvidiaSmi } from './gpu-report.ts'
import { df, free, htop, lscpu, ps, top } from './machine-report.ts'

/** Where the shell stands between two commands. */
export interface Place {
  readonly cwd: string
  /** What `cd -` returns to. */
  readonly previousCwd: string | null
}

export interface Outcome {
  readonly output: readonly string[]
  readonly place?: Place
  readonly effect?: 'clear' | 'exit'
  /** Default 0: it did what it was asked to. */
  readonly code?: number
}

interface Context extends Place {
  readonly facts: MachineFacts
  readonly nowMs: number
}

interface Command {
  /** The forms it answers, as `help` shows them. */
  readonly forms: readonly string[]
  readonly summary: string
  readonly run: (args: readonly string[], context: Context) => Outcome
}

const kernel = '5.15.0-105-generic'
const say = (...output: string[]): Outcome => ({ output })
const fail = (code: number, ...output: string[]): Outcome => ({ output, code })

/** A command that answers only these arguments, each with its own lines. */
function fixed(
  name: string,
  summary: string,
  answers: Record<string, (context: Context) => readonly string[]>,
): Command {
  const forms = Object.keys(answers).map(args => `${name} ${args}`.trim())
  const run: Command['run'] = (args, context) => {
    const given = args.join(' ')
    if (Object.hasOwn(answers, given)) return { output: answers[given]!(context) }
    return fail(2, `${name}: this simulated shell answers only: ${forms.join(', ')}`)
  }
  return { forms, summary, run }
}

function ls(args: readonly string[], { cwd, facts }: Context): Outcome {
  const flags = args.filter(arg => arg.startsWith('-')).join('')
  const unknown = /[^-alh]/.exec(flags)
  if (unknown) return fail(2, `ls: invalid option -- '${unknown[0]}'`)
  const path = args.find(arg => !arg.startsWith('-')) ?? '.'
  const target = resolve(cwd, path)
  if (!find(target, facts)) return fail(2, `ls: cannot access '${path}': No such file or directory`)
  return { output: list(target, facts, { all: flags.includes('a'), long: flags.includes('l') }) }
}

function cd(args: readonly string[], { cwd, previousCwd, facts }: Context): Outcome {
  if (args.length > 1) return fail(1, 'bash: cd: too many arguments')
  const back = args[0] === '-'
  if (back && previousCwd === null) return fail(1, 'bash: cd: OLDPWD not set')
  const target = back ? previousCwd! : resolve(cwd, args[0] ?? home)
  const kind = find(target, facts)?.kind
  if (!kind) return fail(1, `bash: cd: ${args[0]}: No such file or directory`)
  if (kind === 'file') return fail(1, `bash: cd: ${args[0]}: Not a directory`)
  return { output: back ? [target] : [], place: { cwd: target, previousCwd: cwd } }
}

function cat(args: readonly string[], { cwd, facts }: Context): Outcome {
  const path = args[0]
  if (path === undefined) return fail(1, 'cat: this simulated shell reads only files: cat /etc/os-release')
  const target = resolve(cwd, path)
  if (find(target, facts)?.kind === 'folder') return fail(1, `cat: ${path}: Is a directory`)
  const lines = readLines(target, facts)
  return lines ? { output: lines } : fail(1, `cat: ${path}: No such file or directory`)
}

/** Answers for an address kept for documentation, so that no real host is claimed to have been reached. */
function ping(args: readonly string[]): Outcome {
  const host = args.find(arg => !arg.startsWith('-'))
  if (host === undefined) return fail(2, 'ping: usage error: Destination address required')
  const times = ['0.42', '0.38', '0.40', '0.39']
  return say(
    `PING ${host} (192.0.2.1) 56(84) bytes of data (simulated: nothing is sent).`,
    ...times.map((ms, n) => `64 bytes from ${host} (192.0.2.1): icmp_seq=${n + 1} ttl=64 time=${ms} ms`),
    '',
    `--- ${host} ping statistics ---`,
    `${times.length} packets transmitted, ${times.length} received, 0% packet loss, time 3004ms`,
  )
}

/** The visitor is root already: what follows runs as it is. */
function sudo(args: readonly string[], context: Context): Outcome {
  if (args.length === 0) return fail(1, 'usage: sudo command')
  return execute(args, context)
}

const commands: Readonly<Record<string, Command>> = {
  ls: { forms: ['ls', 'ls -la'], summary: 'list files', run: ls },
  cd: { forms: ['cd'], summary: 'change directory', run: cd },
  pwd: fixed('pwd', 'print the current directory', { '': ({ cwd }) => [cwd] }),
  cat: { forms: ['cat /etc/os-release'], summary: 'print a file', run: cat },
  whoami: fixed('whoami', 'print the user name', { '': () => ['root'] }),
  date: fixed('date', 'print the date and time', { '': ({ nowMs }) => [dateLine(nowMs)] }),
  uptime: fixed('uptime', 'how long the instance has been running', {
    '': ({ facts, nowMs }) => [` ${uptimeLine(facts.startedAtMs, nowMs)}`],
  }),
  uname: fixed('uname', 'print system information', {
    '': () => ['Linux'],
    '-a': ({ facts }) => [
      `Linux ${hostname(facts.name)} ${kernel} #115-Ubuntu SMP x86_64 x86_64 x86_64 GNU/Linux`,
    ],
  }),
  'nvidia-smi': fixed('nvidia-smi', 'GPU status', {
    '': ({ facts, nowMs }) => nvidiaSmi(facts, nowMs),
  }),
  lscpu: fixed('lscpu', 'processor information', { '': ({ facts }) => lscpu(facts) }),
  free: fixed('free', 'memory usage', { '-h': ({ facts }) => free(facts) }),
  df: fixed('df', 'disk usage', { '-h': ({ facts }) => df(facts) }),
  top: fixed('top', 'processes', { '': ({ facts, nowMs }) => top(facts, nowMs) }),
  htop: fixed('htop', 'processes, with gauges', { '': ({ facts, nowMs }) => htop(facts, nowMs) }),
  ps: fixed('ps', 'list processes', { aux: ({ facts, nowMs }) => ps(facts, nowMs) }),
  python3: fixed('python3', 'Python version', { '--version': () => ['Python 3.10.12'] }),
  which: {
    forms: ['which python3'],
    summary: 'find a command',
    run(args) {
      const output = args.map(which).filter(path => path !== null)
      return { output, code: output.length < args.length ? 1 : 0 }
    },
  },
  ping: { forms: ['ping'], summary: 'ping a host', run: ping },
  sudo: { forms: ['sudo'], summary: 'run a command as root', run: sudo },
  clear: { forms: ['clear'], summary: 'clear the screen', run: () => ({ output: [], effect: 'clear' }) },
  help: { forms: ['help'], summary: 'this list', run: () => ({ output: helpLines() }) },
  exit: {
    forms: ['exit'],
    summary: 'disconnect',
    run: ([code]) => ({ output: ['logout'], effect: 'exit', code: (Number(code) || 0) & 255 }),
  },
}

function helpLines(): string[] {
  const rows = Object.values(commands).map(
    ({ forms, summary }) => `  ${forms.join(', ').padEnd(22)} ${summary}`,
  )
  return ['This shell is simulated. Available commands:', ...rows]
}

/** Runs one command that has been split into words. */
export function execute(words: readonly string[], context: Context): Outcome {
  const [name = '', ...args] = words
  if (Object.hasOwn(commands, name)) return commands[name]!.run(args, context)
  return fail(127, `bash: ${name}: command not found`, "Type 'help' for available commands.")
}
