/** What a machine can't do and can't see, in both designs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSandboxDriver } from './driver.ts'
import {
  controlPlane,
  designsHere,
  expectNothingLeft,
  isRoot,
  openShell,
  running,
  type Shell,
  testDir,
  useDriver,
  value,
} from './testing/sandbox.ts'

/** Forks until it may not, and says how far it came. */
const forks = `
import os, time
count = 0
try:
    while count < 900:
        if os.fork() == 0:
            time.sleep(60)
        count += 1
except OSError:
    print("stopped at", count)
`

const marker = `secret-${process.pid}`
/** A walk over all of the host's programs, on a disk that has forgotten them. */
const coldDiskMs = 60_000

for (const design of designsHere)
  describe(`a machine by ${design}`, { timeout: 30_000 }, () => {
    const { dir, driver } = useDriver(design, { maxProcesses: 200 })
    let shell: Shell

    beforeAll(async () => {
      const other = await openShell(driver(), await running(driver(), 'other'))
      await other.run(`echo ${marker} > /workspace/${marker}`)
      shell = await openShell(driver(), await running(driver(), 'main', { name: 'Ünit, Welt #1' }))
    })

    /** Exit code and output of a command that must not work. */
    const attempt = async (command: string): Promise<string> => {
      const { output, code } = await shell.run(command)
      return code === 0 ? `it worked: ${output}` : output
    }

    it('is root of itself, with a name and a home of its own', async () => {
      expect(
        (await shell.run('whoami; hostname; pwd; cat /etc/hostname; echo ~')).output.split('\n'),
      ).toEqual(['root', 'unit-welt-1', '/workspace', 'unit-welt-1', '/root'])
    })

    it('has no capability, can gain none, and runs under a filter, its first process included', async () => {
      const fields = 'CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp:'
      for (const pid of ['1', 'self']) {
        const { output } = await shell.run(`grep -E '${fields}' /proc/${pid}/status | cut -f2 | tr '\\n' ' '`)
        expect(output.trim()).toBe(`${'0000000000000000 '.repeat(5)}1 2`)
      }
    })

    it.each([
      ['mount -t tmpfs tmpfs /tmp', /denied|not permitted|superuser/],
      ['umount /workspace', /denied|not permitted|superuser/],
      ['unshare -Ur true', /not permitted|No space/],
      ['unshare -m true', /not permitted/],
      ['mknod /tmp/null c 1 3', /not permitted/],
      ['dmesg', /not permitted/],
      ['chroot / true', /not permitted/],
      ['hostname other', /must be root|not permitted|no permission/],
      ['echo 1 > /proc/sys/net/ipv4/ip_forward', /Read-only|denied/],
      ['echo 1 > /proc/sys/kernel/panic', /Read-only|denied/],
      ['echo 9 > /proc/sys/user/max_user_namespaces', /Read-only|denied/],
      ['echo b > /proc/sysrq-trigger', /denied|Read-only|No such/],
      ['echo -1000 > /proc/self/oom_score_adj', /denied/],
      // AF_VSOCK reaches the host of a virtual machine whatever the network namespace.
      ['python3 -c "import socket; socket.socket(40, socket.SOCK_STREAM)"', /not supported/],
    ])('can’t %s', async (command, words) => {
      expect(await attempt(command)).toMatch(words)
    })

    it('sees nothing of the host but its programs', async () => {
      expect(await attempt('cat /etc/shadow')).toMatch(/No such file/)
      expect(await attempt(`ls /work ${dir}`)).toMatch(/No such file/)
      expect(
        (await shell.run('ls /home /srv /mnt /media 2>/dev/null; ls /var /root')).output
          .split(/\s+/)
          .toSorted(),
      ).toEqual(
        ['/home:', '/root:', '/srv:', '/var:', 'cache', 'lib', 'log', 'run', 'spool', 'tmp'].filter(Boolean),
      )
      expect(
        (await shell.run('touch /usr/x /etc/x /x /run/ingot/machine/x')).output.match(/Read-only/g),
      ).toHaveLength(4)
    })

    it(
      'sees no other machine, neither its files nor its processes',
      async () => {
        const found = await shell.run(`find / -name '${marker}' 2>/dev/null | wc -l`, coldDiskMs)
        expect(found.output).toBe('0')
        expect((await shell.run('ls -d /proc/[0-9]* | wc -l')).output.length).toBeLessThan(3)
      },
      coldDiskMs,
    )

    it('knows nothing of the control plane: no environment, no open file but its own log', async () => {
      process.env['SECRET_OF_OURS'] = marker
      await value(() => driver().stop('main'))
      await value(() => driver().start('main'))
      shell = await openShell(driver(), 'main')
      // A process may end while it is looked at.
      expect(
        (await shell.run('cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c secret')).output,
      ).toBe('0')
      const { output } = await shell.run(
        'ls -l /proc/[0-9]*/fd 2>/dev/null | grep -E " -> /" | sed "s/.* -> //" | sort -u',
      )
      const own = /^(\/(usr|etc)\/.*|\/dev\/(null|tty|pts\/\w+)|\/proc\/.*|.*\/start\.log|\/run\/ingot\/.*)$/
      expect(output.split('\n').filter(path => !own.test(path))).toEqual([])
    })

    it('has no way to the host’s network, and its own loopback works', async () => {
      const server = createServer(socket => socket.end('host')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      expect(await attempt(`cat < /dev/tcp/127.0.0.1/${port}`)).toMatch(/refused/)
      expect(await attempt('cat < /dev/tcp/1.1.1.1/80')).toMatch(/unreachable/)
      server.close()
      const inside =
        'import socket;s=socket.create_server(("127.0.0.1",7));c=socket.create_connection(("127.0.0.1",7));print("linked")'
      expect((await shell.run(`python3 -c '${inside}' || echo linked`)).output).toContain('linked')
    })

    it('keeps its files over a restart, but not /tmp', async () => {
      await shell.run('echo kept > /workspace/kept; echo kept > ~/kept; echo gone > /tmp/gone')
      await value(() => driver().stop('main'))
      await value(() => driver().start('main'))
      shell = await openShell(driver(), 'main')
      expect((await shell.run('cat /workspace/kept ~/kept; ls -A /tmp')).output).toBe('kept\nkept')
    })

    it.skipIf(!isRoot)('is limited in processes and memory, and lives on (needs root)', async () => {
      const ref = await running(driver(), 'small', { memoryGb: 0.25 })
      const small = await openShell(driver(), ref)
      writeFileSync(join(dir, 'machines/small/disk/workspace/forks.py'), forks)
      const { output } = await small.run('python3 forks.py; pkill -f forks.py')
      expect(Number(/stopped at (\d+)/.exec(output)?.[1])).toBeLessThan(200)
      expect((await small.run('python3 -c "bytearray(700 << 20)"')).code).toBe(137)
      expect((await small.run('echo alive')).output).toBe('alive')
    })

    it.skipIf(!isRoot)('runs as a uid that nothing else has (needs root)', () => {
      const uids = ['main', 'other'].map(id => {
        const { init } = JSON.parse(readFileSync(join(dir, 'machines', id, 'process.json'), 'utf8')) as {
          init: { pid: number }
        }
        return /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${init.pid}/status`, 'utf8'))?.[1]
      })
      expect(new Set(uids).size).toBe(2)
      for (const uid of uids) expect(Number(uid)).toBeGreaterThanOrEqual(210_000)
    })
  })

describe.skipIf(designsHere.length === 0)('a control plane that was itself started with open files', () => {
  it('hands none of them on to its machines', { timeout: 30_000 }, async () => {
    for (const design of designsHere) {
      const dir = testDir()
      writeFileSync(join(dir, 'door'), 'a file of the host')
      const open = 'exec 20<"$1/door" 77<"$1/door"; shift; exec "$@"'
      const child = spawn('bash', [
        '-c',
        open,
        'bash',
        dir,
        ...controlPlane(dir, design, 'open', 'create start'),
      ])
      expect((await once(child, 'exit'))[0]).toBe(0)
      const driver = await createSandboxDriver({ dir, design, maxMachines: 1 })
      const shell = await openShell(driver, 'open')
      expect((await shell.run('ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c door')).output).toBe('0')
      await value(() => driver.destroy('open'))
      expectNothingLeft(dir)
    }
  })
})
