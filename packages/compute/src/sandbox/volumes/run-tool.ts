/** Runs one of the host's tools to its end. It goes on when this process is killed, and nobody then hears of it. */
import { spawn } from 'node:child_process'

export interface Outcome {
  /** Null: it was not there, or was killed. */
  readonly code: number | null
  readonly output: string
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const maxOutput = 65_536

export const runTool = (command: string, args: readonly string[]): Promise<Outcome> =>
  new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: '/',
      env: { PATH: path, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        if (output.length < maxOutput) output += part
      })
    child.on('error', error => resolve({ code: null, output: String(error) }))
    child.on('close', code => resolve({ code, output: output.trim() }))
  })

/** Throws what it complained of when it does not end with 0. */
export async function tool(command: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runTool(command, args)
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.slice(0, 500)}`)
  return output
}
