/** One session of a client: what it wishes for first, then a shell, a command or files. */
import type { TerminalSize } from '@ingot/compute/driver'
import type { ServerChannel, Session } from 'ssh2'
import { isCells } from '../terminal/relay.ts'
import { serveFiles } from './sftp.ts'
import { type Program, say, startProgram } from './program.ts'
import type { Standing } from './standing.ts'

const mostVariables = 64
const mostVariableBytes = 4 * 1024
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const terminalName = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/
const usualSize: TerminalSize = { cols: 80, rows: 24 }

export function openSession(
  standing: Standing,
  session: Session,
  onChannel: (channel: ServerChannel) => void,
): void {
  const env: Record<string, string> = {}
  let size: TerminalSize | null = null
  let program: Program | null = null

  // Of a request that wants no answer there is nothing to call.
  session.on('pty', (accept, _reject, asked) => {
    size = sizeOf(asked)
    // It is there, though the types know nothing of it.
    const { term } = asked as { term?: unknown }
    if (typeof term === 'string' && terminalName.test(term)) env['TERM'] = term
    accept?.()
  })
  session.on('env', (accept, reject, { key, val }) => {
    const fits = Object.keys(env).length < mostVariables && Buffer.byteLength(val) <= mostVariableBytes
    if (!fits || !variableName.test(key) || val.includes('\0')) return reject?.()
    env[key] = val
    accept?.()
  })
  session.on('window-change', (accept, _reject, asked) => {
    program?.resize(sizeOf(asked))
    accept?.()
  })
  session.on('signal', (accept, _reject, { name }) => {
    program?.signal(name)
    accept?.()
  })

  function start(accept: () => ServerChannel, command: string | null): void {
    const channel = accept()
    // Asked for twice.
    if (!channel) return
    onChannel(channel)
    if ('inside' in standing) program = startProgram(standing.inside, channel, { command, env, size })
    // Nobody reads a question without a terminal.
    else if (!standing.offer || !size) say(channel, standing.refusal)
    else
      void standing.offer(channel).then(inside => {
        if (inside) program = startProgram(inside, channel, { command, env, size })
      })
  }
  session.on('shell', accept => start(accept, null))
  session.on('exec', (accept, _reject, { command }) => start(accept, command))
  if ('inside' in standing) session.on('sftp', accept => serveFiles(standing.inside, accept()))
  // As a stream of bytes, so that it can be told.
  else session.on('subsystem', accept => start(accept, null))
}

const sizeOf = ({ cols, rows }: TerminalSize): TerminalSize =>
  isCells(cols) && isCells(rows) ? { cols, rows } : usualSize
