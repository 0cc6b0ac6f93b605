/** What the machine was started for, when there is something: its output is the log, and its end the machine's. */
import { drained, spawnProgram, type Surroundings } from './exec.ts'
import type { Log } from './log.ts'

/** Resolves when it has ended and all of its output is in the log. */
export async function runMainProgram(
  command: readonly string[],
  surroundings: Surroundings,
  log: Log,
): Promise<void> {
  log.line('machine', 'The main program starts.')
  try {
    const { outputs, ended } = await spawnProgram(command, surroundings, false)
    outputs.forEach((output, at) =>
      output.on('data', data => log.write(at === 0 ? 'stdout' : 'stderr', data)),
    )
    const { code, signal } = await ended
    await drained(outputs, [])
    log.flush()
    log.line('machine', `The main program ended ${signal ? `by ${signal}` : `with exit code ${code}`}.`)
  } catch (error) {
    log.line('machine', `The main program could not be started: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
