/** What a container is told arrives in the main program and in terminals as it was chosen, whatever it holds. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { own, runFolder } from './agent/session.ts'
import { filesInput, givenOf, runInput } from './input.ts'

const folder = mkdtempSync(join(tmpdir(), 'ingot-input-'))
chmodSync(folder, 0o755)
afterAll(() => rmSync(folder, { recursive: true }))

const shells = ['/bin/dash', '/bin/bash', '/bin/busybox'].filter(path => existsSync(path))
/** Our programs stand for this host's own. */
const env = own('env')
  .map(part => `'${part}'`)
  .join(' ')
const here = (input: string) => input.replaceAll(runFolder, folder).replaceAll(env, "'/usr/bin/env'")

/** The arguments and the environment of the main program. */
function begun(shell: string, variables: Record<string, string>, command: readonly string[]) {
  const input = here(runInput(givenOf({ env: variables, command, tenant: 'a-tenant', volume: null }, [])))
  const args = shell.endsWith('busybox') ? ['sh', '-s'] : ['-s']
  const { stdout, stderr, status } = spawnSync(shell, args, { input, env: {}, maxBuffer: 2 ** 24 })
  return { parts: stdout.toString().split('\0').slice(0, -1), stderr: stderr.toString(), status }
}

const value = fc
  .string({ unit: 'binary', maxLength: 30 })
  .filter(text => !text.includes('\0') && text.isWellFormed())
const name = fc.oneof(
  fc.constantFrom(
    'PATH',
    'IFS',
    'OPTIND',
    'PS4',
    'UID',
    'PPID',
    'LD_PRELOAD_',
    'ENV',
    'line',
    'a.b',
    '-a',
    '_',
    '1',
  ),
  fc.constantFrom(
    'BASH_ENV',
    'SHELLOPTS',
    'LINENO',
    'PWD',
    'HOME',
    'POSIXLY_CORRECT',
    'a b',
    "a'b",
    '$(x)',
    'é',
  ),
  value.filter(text => text !== '' && !text.includes('=')),
)
const awkward = ["'", "''", '\\', '\n', '$(touch x)', '`x`', '}', '!', '-n', '\n}\n', "'\\''", '#', '']

describe.each(shells)('read by %s', shell => {
  it('variables and arguments come through whole', () => {
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.oneof(value, fc.constantFrom(...awkward)), { maxKeys: 6 }),
        fc.array(fc.oneof(value, fc.constantFrom(...awkward)), { maxLength: 4 }),
        (variables, args) => {
          const shown = begun(shell, variables, ['/usr/bin/env', '-0'])
          const found = new Map(shown.parts.map(pair => [pair.slice(0, pair.indexOf('=', 1)), pair]))
          for (const [each, text] of Object.entries(variables)) {
            // Nobody can have these otherwise than as the shell has them, or `env` as its caller calls it.
            if (each === '_') continue
            expect(found.get(each), shown.stderr).toBe(`${each}=${text}`)
          }
          expect(begun(shell, variables, ['/usr/bin/printf', '%s\\0', 'first', ...args]).parts).toEqual([
            'first',
            ...args,
          ])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('half of it does nothing', () => {
    const whole = here(
      runInput(
        givenOf({ env: { A: 'b' }, command: ['/bin/echo', 'ran'], tenant: 'a-tenant', volume: null }, []),
      ),
    )
    for (let length = 0; length < whole.length - 1; length += 7) {
      const { stdout } = spawnSync(shell, shell.endsWith('busybox') ? ['sh', '-s'] : ['-s'], {
        input: whole.slice(0, length),
      })
      expect(stdout.toString()).toBe('')
    }
  })

  it('a program that begins with a dash is a program, and one that is not there ends with 127', () => {
    expect(begun(shell, {}, ['-c', 'echo no']).status).toBe(127)
    expect(begun(shell, {}, ['none-such']).status).toBe(127)
    expect(begun(shell, { 'a.b': '1' }, ['none-such']).status).toBe(127)
  })

  it('an environment of 64 KiB of what must be quoted comes through', () => {
    const { parts } = begun(shell, { A: "'".repeat(2 ** 16) }, ['/usr/bin/printenv', '-0', 'A'])
    expect(parts).toEqual(["'".repeat(2 ** 16)])
  })
})

it('for files it does nothing until its input ends', () => {
  expect(spawnSync('/bin/sh', ['-s'], { input: filesInput }).status).toBe(0)
})

it('what terminals and programs read is for the image’s user alone', () => {
  begun('/bin/sh', { SECRET: 'x' }, ['/bin/true'])
  for (const file of ['variables', 'variables.json'])
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(join(folder, 'variables.json'), 'utf8'))).toEqual({ SECRET: 'x' })
})
