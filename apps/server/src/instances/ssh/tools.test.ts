/** What engineers use SSH for beside a shell, with their own programs and real machines. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import ssh2, { type ClientChannel } from 'ssh2'
import { beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../product/testing/free-port.ts'
import { until } from '../../product/test-server.ts'
import { noClients, type Options, runClient, useGateway } from './test-clients.ts'

const gateway = await useGateway()
const { server, port } = gateway
const isLong = process.env['INGOT_LONG_TESTS'] === '1'
const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

describe.skipIf(noClients)('programs that go through SSH', { timeout: 120_000 }, () => {
  let box: Awaited<ReturnType<typeof gateway.instance>>
  let key: Awaited<ReturnType<typeof gateway.key>>
  let args: string[]
  beforeAll(async () => {
    const user = await server.user('100')
    box = await gateway.instance(user)
    key = await gateway.key(user)
    args = [...gateway.options(box, key.file).args, '-o', `Port=${port}`]
  }, 60_000)
  const ssh = (more: readonly string[], options?: Options) =>
    runClient('ssh', [...args, `${box.user}@127.0.0.1`, ...more], options)

  test.skipIf(!existsSync('/usr/bin/rsync'))(
    'rsync copies a folder both ways, sends only what changed, and removes what is gone',
    async () => {
      const here = join(gateway.dir, 'tree')
      mkdirSync(join(here, 'below'), { recursive: true })
      writeFileSync(join(here, 'large'), randomBytes(3_000_000), { mode: 0o640 })
      writeFileSync(join(here, 'below', 'a name with spaces'), 'one\n', { mode: 0o755 })
      symlinkSync('large', join(here, 'link'))
      const rsync = (...more: string[]) => runClient('rsync', ['-e', ['ssh', ...args].join(' '), ...more])
      const to = `${box.user}@127.0.0.1:tree/`
      expect(await rsync('-a', '--delete', `${here}/`, to)).toMatchObject({ code: 0, err: '' })
      const look = 'cd tree && stat -c "%a %n" large "below/a name with spaces" && readlink link'
      expect((await ssh([look])).out.toString()).toBe('640 large\n755 below/a name with spaces\nlarge\n')

      await ssh(['echo two >> "tree/below/a name with spaces"; rm tree/link'])
      const again = await rsync('-a', '--delete', '--stats', to, `${here}/`)
      expect([again.code, again.err]).toEqual([0, ''])
      expect(again.out.toString()).toMatch(/Number of regular files transferred: 1\n/)
      expect(readFileSync(join(here, 'below', 'a name with spaces'), 'utf8')).toBe('one\ntwo\n')
      expect(existsSync(join(here, 'link'))).toBe(false)
    },
  )

  test(`scp takes a file of ${isLong ? 100 : 20} MB both ways`, async () => {
    const here = join(gateway.dir, 'large')
    writeFileSync(here, randomBytes(isLong ? 100_000_000 : 20_000_000))
    const options = { timeoutMs: 100_000 }
    const there = `${box.user}@127.0.0.1:large`
    expect(await runClient('scp', [...args, here, there], options)).toMatchObject({ code: 0, err: '' })
    expect((await ssh(['sha256sum < large'])).out.toString()).toBe(`${sumOf(here)}  -\n`)
    expect(await runClient('scp', [...args, there, `${here}.back`], options)).toMatchObject({ code: 0 })
    expect(sumOf(`${here}.back`)).toBe(sumOf(here))
  })

  // As VS Code's Remote-SSH connects: `ssh -T -D`, a script through a bash's input that leaves a server behind, which is
  // reached through the SOCKS port of this connection and of the next one.
  test('an editor installs its server through a shell’s input, reaches it by SOCKS, and again after a cut', async () => {
    const serve =
      'use IO::Socket::INET; $l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 0); print $l->sockport, "\\n"; open STDOUT, ">/dev/null"; while ($c = $l->accept) { while (<$c>) { print $c "heard $_" } close $c }'
    const connectBy = (socks: number, script: string) => {
      const child = spawn('ssh', [
        '-T',
        '-D',
        `127.0.0.1:${socks}`,
        '-o',
        'ConnectTimeout=15',
        ...args,
        `${box.user}@127.0.0.1`,
        'bash',
      ])
      let out = ''
      child.stdout.on('data', data => (out += String(data)))
      child.stdin.write(`${script}\n`)
      return {
        child,
        ready: () =>
          until(
            async () => out,
            text => text.includes('ready'),
          ),
      }
    }
    const say = async (socks: number, to: number): Promise<string> => {
      const { out } = await runClient('curl', [
        '-sS',
        '--max-time',
        '2',
        '--http0.9',
        '-N',
        '--socks5-hostname',
        `127.0.0.1:${socks}`,
        `http://127.0.0.1:${to}/`,
      ])
      return out.toString().split('\n')[0]!
    }
    const socks = await freePort()
    const first = connectBy(
      socks,
      `uname -sm; command -v tar >/dev/null; mkdir -p ~/.editor; cd ~/.editor; nohup perl -e '${serve}' > port 2>/dev/null < /dev/null & until test -s ~/.editor/port; do sleep 0.1; done; echo "ready $(cat ~/.editor/port)"`,
    )
    const to = Number(/ready (\d+)/.exec(await first.ready())![1])
    expect(await say(socks, to)).toMatch('heard GET / HTTP/1.1')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')

    const again = await freePort()
    const second = connectBy(again, 'cat ~/.editor/port; echo ready')
    await second.ready()
    expect(await say(again, to)).toMatch('heard GET / HTTP/1.1')
    second.child.stdin.end('pkill perl; exit 3\n')
    expect((await once(second.child, 'exit'))[0]).toBe(3)
  })

  test('a window that changes its size and a signal reach the program', async () => {
    const client = new ssh2.Client()
    client.connect({ host: '127.0.0.1', port, username: box.user, privateKey: key.text })
    await once(client, 'ready')
    const channel = await new Promise<ClientChannel>((resolve, reject) =>
      client.exec(
        'trap "stty size" WINCH; trap "echo stopped; exit 9" TERM; echo up; while :; do sleep 0.05; done',
        { pty: { cols: 80, rows: 24 } },
        (error, opened) => (error ? reject(error) : resolve(opened)),
      ),
    )
    let out = ''
    channel.on('data', (data: Buffer) => (out += String(data)))
    const ended = once(channel, 'exit')
    await until(
      async () => out,
      text => text.includes('up'),
    )
    channel.setWindow(50, 132, 0, 0)
    await until(
      async () => out,
      text => text.includes('50 132'),
    )
    channel.signal('TERM')
    expect((await ended)[0]).toBe(9)
    expect(out).toMatch('stopped')
    client.end()
  })
})
