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

/** What a debugger could do to the machine's own programs: what it reaches is printed. */
const reaches = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
pidfd_open, pidfd_getfd, process_vm_readv, ptrace_seize = 434, 438, ${process.arch === 'x64' ? 310 : 270}, 0x4206
pids = [pid for pid in os.listdir("/proc") if pid.isdigit()]
own = [pid for pid in pids if pid == "1" or open(f"/proc/{pid}/comm").read() == "ingot-keeper\\n"]
for pid in own:
    if len(own) != 2: print("who is who?", own)
    what = "first" if pid == "1" else "keeper"
    handle = libc.syscall(pidfd_open, int(pid), 0)
    for fd in range(40):
        if libc.syscall(pidfd_getfd, handle, fd, 0) >= 0: print(what, "descriptor", fd)
    for name in ["mem", "environ", "maps", "fd/0"]:
        try:
            open(f"/proc/{pid}/{name}", "rb").read(1 if name == "environ" else 0)
            print(what, name)
        except OSError: pass
    try: print(what, "shows", os.readlink(f"/proc/{pid}/fd/0"))
    except OSError: pass
    if libc.ptrace(ptrace_seize, int(pid), 0, 0) == 0: print(what, "traced")
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

    it('knows nothing of the control plane: no environment, no open file', async () => {
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
      const own = /^(\/(usr|etc)\/.*|\/dev\/(null|tty|pts\/\w+)|\/proc\/.*|\/run\/ingot\/.*)$/
      expect(output.split('\n').filter(path => !own.test(path))).toEqual([])
    })

    it('reaches into neither the keeper nor the first process: no descriptor, no memory, no tracing', async () => {
      writeFileSync(join(dir, 'machines/main/disk/workspace/reaches.py'), reaches)
      const { output, code } = await shell.run('python3 reaches.py')
      expect(code, output).toBe(0)
      // Bubblewrap's first process can be traced. It is as powerless as any, and holds nothing.
      const reached = output
        .split('\n')
        .filter(line => line && !(design === 'bwrap' && line.startsWith('first')))
      expect(reached).toEqual([])
      expect(output).not.toContain('descriptor')
    })

    it('debugs its own programs', async context => {
      const traced = 'command -v strace || exit 77; strace -o /tmp/calls true && grep -c execve /tmp/calls'
      const { output, code } = await shell.run(`sh -c '${traced}'`)
      if (code === 77) context.skip('the host has no strace')
      expect(output).toMatch(/^1$/m)
      const memory = 'import os;open(f"/proc/{os.getppid()}/mem","rb");print("read")'
      expect((await shell.run(`python3 -c '${memory}'`)).output).toBe('read')
    })

    it('sees no settings and no sources that the host’s operator put beside the programs', async () => {
      const { output } = await shell.run(
        'ls -A /usr/local/etc /usr/local/src /usr/src 2>/dev/null | grep -v :',
      )
      expect(output).toBe('')
      expect(await attempt('touch /usr/local/etc/x /usr/src/x')).toMatch(/Read-only|No such file/)
    })

    it('reads in its list of mounts where its disk lies, and can’t go there', async () => {
      // The kernel names the folder that a mount comes from; docs/drivers.md says so.
      const { output } = await shell.run(`awk '$5 == "/workspace" { print $4 }' /proc/self/mountinfo`)
      expect(output).toMatch(/\/machines\/main\/disk\/workspace$/)
      expect(await attempt(`ls ${output}`)).toMatch(/No such file/)
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
      // Only bash can close such files, and it must not read its owner's settings on the way.
      const { init } = JSON.parse(readFileSync(join(dir, 'machines/open/process.json'), 'utf8')) as {
        init: { pid: number }
      }
      const environment = isRoot ? readFileSync(`/proc/${init.pid}/environ`, 'latin1') : ''
      const names = environment.match(/(?<=^|\0)\w+/g) ?? []
      expect(names.filter(name => !/^(PATH|PWD|OLDPWD|SHLVL|_|INGOT_MACHINE)$/.test(name))).toEqual([])
      await value(() => driver.destroy('open'))
      expectNothingLeft(dir)
    }
  })
})
