import { readFileSync } from 'node:fs'
import { specifiedGpus } from '@ingot/contracts/test-catalog'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostname, type MachineFacts } from './facts.ts'
import { gpuMemoryMib } from './figures.ts'
import {
  commandDelayMs,
  connectDelayMs,
  keepLast,
  maxOutputLines,
  maxLineLength,
  openShell,
  prompt,
  run,
  runWords,
} from './shell.ts'

const nowMs = Date.UTC(2026, 10, 21, 14, 5, 9)
const machine: MachineFacts = {
  name: 'Llama 3 (test)',
  gpuType: 'A40',
  gpuCount: 4,
  gpuMemoryGb: 48,
  cpuCores: 32,
  memoryGb: 192,
  storageGb: 140,
  startedAtMs: nowMs - (3 * 24 * 60 + 65) * 60_000,
}
const output = (line: string, facts = machine) => run(openShell(facts), line, nowMs).output
const shown = (line: string, facts = machine) => output(line, facts).join('\n')

/** The specification's list, word for word. */
const specified =
  'ls, ls -la, pwd, whoami, date, uptime, uname, uname -a, df -h, free -h, nvidia-smi, lscpu, top, htop, ' +
  'cat /etc/os-release, python3 --version, which python3, ps aux, help, clear, exit, cd, ping, sudo'

describe('the simulated shell', () => {
  it('has the delays and limits of the specification', () => {
    expect({ connectDelayMs, commandDelayMs, maxOutputLines }).toEqual({
      connectDelayMs: 1_000,
      commandDelayMs: 200,
      maxOutputLines: 1_000,
    })
  })

  it.each(specified.split(', '))('knows %s', command => {
    expect(shown(command)).not.toMatch(/not found|answers only/)
  })

  it('help names every command of the specification', () => {
    expect(specified.split(', ').filter(command => !shown('help').includes(command))).toEqual([])
  })

  it.each([
    ['pwd', '/root'],
    ['whoami', 'root'],
    ['date', 'Sat Nov 21 14:05:09 UTC 2026'],
    ['uptime', ' 14:05:09 up 3 days,  1:05,  1 user,  load average: 0.08, 0.03, 0.01'],
    ['uname', 'Linux'],
    ['python3 --version', 'Python 3.10.12'],
    ['which python3', '/usr/bin/python3'],
    ['which nothing', ''],
    ['ls', 'README.md  datasets  models  notebooks'],
    ['  whoami  ', 'root'],
    ['sudo whoami', 'root'],
    ['', ''],
  ])('%s prints %s', (command, expected) => {
    expect(shown(command)).toBe(expected)
  })

  it('an unknown command is not found, and help is hinted at', () => {
    expect(output('frobnicate -x')).toEqual([
      'bash: frobnicate: command not found',
      "Type 'help' for available commands.",
    ])
    expect(shown('constructor')).toContain('not found')
    expect(shown('sudo frobnicate')).toContain('not found')
  })

  it('what is not simulated is said, never invented', () => {
    expect(shown('df')).toBe('df: this simulated shell answers only: df -h')
    expect(shown('ls | wc')).toContain("'|' is not simulated")
    expect(shown('python3 train.py')).toContain('answers only: python3 --version')
  })

  it('cd moves, refuses what is not there, and returns with -', () => {
    let state = openShell(machine)
    const at: string[] = []
    const lines = [
      'cd /usr/bin',
      'cd ..',
      'cd nowhere',
      'cd /etc/os-release',
      'cd -',
      'cd',
      'cd ~/models',
      'cd ../../..',
    ]
    for (const line of lines) {
      const result = run(state, line, nowMs)
      state = result.state
      at.push(result.output.join(' ') || state.cwd)
    }
    expect(at).toEqual([
      '/usr/bin',
      '/usr',
      'bash: cd: nowhere: No such file or directory',
      'bash: cd: /etc/os-release: Not a directory',
      '/usr/bin',
      '/root',
      '/root/models',
      '/',
    ])
    expect(prompt(state)).toBe('root@llama-3-test:/# ')
  })

  it.each([
    ['uname', 0],
    ['nope', 127],
    ['sudo nope', 127],
    ['cat /etc/nothing', 1],
    ['ls /nothing', 2],
    ['cd /etc/hostname', 1],
    ['which nothing', 1],
    ['df', 2],
    ['ls | wc', 2],
    ['exit', 0],
    ['exit 3', 3],
    ['', 0],
  ])('%s ends with %i', (line, code) => {
    expect(run(openShell(machine), line, nowMs).code).toBe(code)
  })

  it('a command that needs no splitting gets its words as they are', () => {
    const { output, code } = runWords(openShell(machine), ['cat', '/root/a b;\u001B[2J'], nowMs)
    expect([output, code]).toEqual([['cat: /root/a b;?[2J: No such file or directory'], 1])
  })

  it('clear and exit are effects', () => {
    expect(run(openShell(machine), 'clear', nowMs).effect).toBe('clear')
    expect(run(openShell(machine), 'sudo exit', nowMs).effect).toBe('exit')
    expect(run(openShell(machine), 'ls', nowMs).effect).toBe('none')
  })
})

describe('what the simulated machine reports', () => {
  it.each([1, 2, 4, 8])('nvidia-smi has %i rows, all simulated, in a table of even width', gpuCount => {
    for (const { name: gpuType } of specifiedGpus) {
      const lines = output('nvidia-smi', { ...machine, gpuType, gpuCount })
      expect(lines.filter(line => line.includes(`${gpuType} (simulated)`))).toHaveLength(gpuCount)
      expect(lines.filter(line => line.includes(`/ ${gpuMemoryMib[gpuType]}MiB`))).toHaveLength(gpuCount)
      const table = lines.slice(1).filter(Boolean)
      expect(new Set(table.map(line => line.length))).toEqual(new Set([79]))
    }
  })

  it('nvidia-smi says that the GPU is simulated', () => {
    expect(shown('nvidia-smi')).toContain('SIMULATED GPU: no physical card is attached')
  })

  it('GPU memory is what the specification says, and the catalogue figure for the rest', () => {
    const specifiedMib = { 'RTX 4090': 24_576, A40: 48_128, 'A100 40GB': 40_960, V100: 32_768 }
    const rest = specifiedGpus.filter(gpu => !(gpu.name in specifiedMib))
    const fromCatalogue = Object.fromEntries(rest.map(gpu => [gpu.name, gpu.memory_gb * 1_024]))
    expect(gpuMemoryMib).toEqual({ ...specifiedMib, ...fromCatalogue })
  })

  it('every report agrees with the machine', () => {
    expect(shown('lscpu')).toMatch(/^CPU\(s\): +32$/m)
    expect(shown('lscpu')).toMatch(/^On-line CPU\(s\) list: +0-31$/m)
    expect(shown('top').match(/%Cpu\d+ *:/g)).toHaveLength(32)
    expect(shown('htop').match(/0\.5%/g)).toHaveLength(32)
    expect(shown('free -h')).toMatch(/^Mem: +192Gi/m)
    expect(shown('top')).toContain('MiB Mem : 196608.0 total')
    expect(shown('htop')).toContain('/192Gi]')
    expect(shown('df -h')).toMatch(/^overlay +140G +11G +129G +8% +\/$/m)
    expect(shown('uname -a')).toContain('Linux llama-3-test ')
    expect(shown('cat /etc/hostname')).toBe('llama-3-test')
    expect(shown('cat /etc/os-release')).toContain('Ubuntu 22.04')
    expect(shown('ps aux')).toMatch(/Nov18 .*-bash$/m)
  })

  it('small machines are reported without nonsense', () => {
    const small = { ...machine, cpuCores: 1, memoryGb: 1, storageGb: 2, startedAtMs: nowMs }
    for (const command of specified.split(', '))
      expect(shown(command, small)).not.toMatch(/NaN|-\d+(\.\d)?[GM]/)
    expect(shown('lscpu', small)).toMatch(/^On-line CPU\(s\) list: +0$/m)
    expect(shown('uptime', small)).toContain('up 0 min,')
  })

  it.each([
    ['Llama 3 (test)', 'llama-3-test'],
    ['Größe', 'gro-e'],
    ['---', 'instance'],
    ['x'.repeat(80), 'x'.repeat(63)],
  ])('the host name of %s is %s', (name, expected) => {
    expect(hostname(name)).toBe(expected)
  })
})

describe('the simulated shell as a module', () => {
  it('never throws, prints at most 1000 lines and no control characters, whatever was written to its files', () => {
    const commands = [...specified.split(', '), 'cat /tmp/a', 'ls /tmp', 'ls -la /tmp']
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...commands)),
        fc.string({ unit: 'binary' }),
        fc.oneof(
          fc.uint8Array(),
          fc.constant(new Uint8Array(5_000).fill(9)),
          fc.constant(new Uint8Array(5_000).fill(10)),
        ),
        (line, name, data) => {
          const file = {
            isFixed: false,
            mode: 0o644,
            modifiedAtMs: nowMs,
            bytes: data.length,
            read: () => data,
          }
          const find = (path: string) =>
            path.startsWith('/tmp/') ? ({ kind: 'file', ...file } as const) : null
          const names = (folder: string) => (folder === '/tmp' ? ['a', name] : [])
          const facts = { ...machine, name, written: { find, names } }
          const { output } = run(openShell(facts), line, nowMs)
          expect(output.length).toBeLessThanOrEqual(maxOutputLines)
          for (const text of output) expect(text.length).toBeLessThanOrEqual(maxLineLength + 1)
          expect(output.filter(text => /\p{Cc}/u.test(text))).toEqual([])
        },
      ),
    )
    expect(keepLast(Array.from({ length: 1_500 }, (_, n) => `${n}`))).toHaveLength(maxOutputLines)
  })

  it('is pure: neither it nor the editor nor the session reaches for Node, a clock or a timer', () => {
    const seen = new Set<string>()
    const read = (file: string): string[] => {
      if (seen.has(file)) return []
      seen.add(file)
      const source = readFileSync(new URL(file, import.meta.url), 'utf8')
      const found = /Date\.now|new Date\(\)|setTimeout|setInterval|process\.|Math\.random|fetch\(/.exec(
        source,
      )
      const imports = [...source.matchAll(/from '([^']+)'/g)].map(match => match[1]!)
      const faults = imports.filter(path => !path.startsWith('./')).concat(found?.[0] ?? [])
      return [
        ...faults.map(fault => `${file}: ${fault}`),
        ...imports.filter(path => path.startsWith('./')).flatMap(read),
      ]
    }
    expect(['./shell.ts', './line-editor.ts', './session.ts'].flatMap(read)).toEqual([])
    expect(seen.size).toBeGreaterThan(8)
  })
})
