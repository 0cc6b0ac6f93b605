/** The gateway as OpenSSH's own programs meet it, with real machines behind it. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestUser } from '../../product/test-server.ts'
import { until } from '../../product/test-server.ts'
import { noClients, type Options, runClient, useGateway } from './test-clients.ts'

const gateway = await useGateway()
const { server, port } = gateway

describe.skipIf(noClients)('OpenSSH reaches a machine', { timeout: 30_000 }, () => {
  let user: TestUser
  let box: Awaited<ReturnType<typeof gateway.instance>>
  let key: Awaited<ReturnType<typeof gateway.key>>
  let args: string[]
  beforeAll(async () => {
    user = await server.user('100')
    box = await gateway.instance(user)
    key = await gateway.key(user)
    args = gateway.options(box, key.file).args
  }, 60_000)
  const ssh = (more: readonly string[], options?: Options, to = box.user) =>
    runClient('ssh', [...args, '-p', String(port), `${to}@127.0.0.1`, ...more], options)

  test('a command runs with its input, both outputs and its exit code', async () => {
    const ran = await ssh(['cat; echo "$0 said" >&2; exit 37'], { input: 'hello' })
    expect([ran.code, ran.out.toString(), ran.err]).toEqual([37, 'hello', 'bash said\n'])
    expect((await ssh(['true'])).code).toBe(0)
    expect((await ssh(['kill -TERM $$'])).code).toBe(255)
    expect((await ssh(['nothing-of-this-name'])).code).toBe(127)
    expect((await user.client.ssh.keys()).items[0]!.last_used_at).not.toBeNull()
    expect((await user.client.instances.get({ id: box.id })).last_activity_at).not.toBeNull()
  })

  test('a shell has a terminal of the right size, and the variables it was sent', async () => {
    const ran = await ssh(['-tt', '-o', 'SetEnv=COLOUR=blue'], {
      input: 'stty size; echo "$TERM $COLOUR"; tty; exit 5\n',
      env: { TERM: 'xterm-256color' },
    })
    expect(ran.code).toBe(5)
    expect(ran.out.toString()).toMatch(/24 80|\d+ \d+/)
    expect(ran.out.toString()).toMatch('xterm-256color blue')
    expect(ran.out.toString()).toMatch('/dev/pts/')
  })

  test('the password opens it, and one that was renewed does not any more', async () => {
    const { password } = await user.client.instances.sshPassword({ id: box.id })
    expect((await user.client.instances.sshPassword({ id: box.id })).password).toBe(password)
    const by = (secret: string) => {
      const { args: without, env } = gateway.options(box, null, secret)
      return runClient('ssh', [...without, '-p', String(port), `${box.user}@127.0.0.1`, 'echo in'], { env })
    }
    expect((await by(password)).out.toString()).toBe('in\n')
    const renewed = await user.client.instances.renewSshPassword({ id: box.id })
    expect(renewed.password).not.toBe(password)
    expect((await by(password)).err).toMatch('Permission denied')
    expect((await by(renewed.password)).out.toString()).toBe('in\n')
  })

  test('a file of 10 MB goes both ways and is the same; scp keeps modes', async () => {
    const here = join(gateway.dir, 'sent')
    const back = join(gateway.dir, 'back')
    const bytes = randomBytes(10_000_000)
    writeFileSync(here, bytes, { mode: 0o700 })
    const sum = createHash('sha256').update(bytes).digest('hex')
    const scp = (...files: string[]) => runClient('scp', [...args, '-P', String(port), ...files])
    expect(await scp('-p', here, `${box.user}@127.0.0.1:there`)).toMatchObject({ code: 0, err: '' })
    expect((await ssh(['sha256sum < there; stat -c %a there'])).out.toString()).toBe(`${sum}  -\n700\n`)
    expect(await scp(`${box.user}@127.0.0.1:there`, back)).toMatchObject({ code: 0, err: '' })
    expect(createHash('sha256').update(readFileSync(back)).digest('hex')).toBe(sum)
    // And by plain pipes, as rsync and tar go.
    const piped = await ssh(['cat > piped; cat piped'], { input: bytes })
    expect(createHash('sha256').update(piped.out).digest('hex')).toBe(sum)
  })

  test('sftp lists, makes, renames, links and removes, and says what it cannot', async () => {
    const local = join(gateway.dir, 'small')
    writeFileSync(local, 'small\n')
    const sftp = (...lines: string[]) =>
      runClient('sftp', [...args, '-P', String(port), '-b', '-', `${box.user}@127.0.0.1`], {
        input: `${lines.join('\n')}\n`,
      })
    const ran = await sftp(
      'pwd',
      'mkdir folder',
      `put ${local} folder/one`,
      'chmod 600 folder/one',
      'ln -s one folder/link',
      'rename folder/one folder/two',
      'ls -l folder',
      'ln -s two folder/other',
      `get folder/other ${local}.back`,
      'rm folder/two',
      'rm folder/link',
      'rm folder/other',
      'rmdir folder',
    )
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out.toString()).toMatch('Remote working directory: /workspace')
    expect(ran.out.toString()).toMatch(/-rw------- .* 6 .* two/)
    expect(readFileSync(`${local}.back`, 'utf8')).toBe('small\n')
    expect((await ssh(['ls folder'])).code).toBe(2)
    expect((await sftp('get nothing-there')).err).toMatch('not found')
    await ssh(['mkdir -p full/inner'])
    expect((await sftp('rmdir full')).code).toBe(1)
    expect((await sftp('rm full')).code).toBe(1)
    expect((await ssh(['ls full'])).out.toString()).toBe('inner\n')
  })

  test('-L and -D reach the machine’s own ports and nothing else; -R is refused', async () => {
    const local = port + 1
    const socks = port + 2
    const reached = ['localhost:9000', '127.0.0.1:1', '169.254.169.254:80', 'example.com:80']
    const forwarding = spawn('ssh', [
      ...args,
      '-p',
      String(port),
      ...reached.flatMap((to, at) => ['-L', `127.0.0.1:${local + 10 * at}:${to}`]),
      '-D',
      `127.0.0.1:${socks}`,
      `${box.user}@127.0.0.1`,
      // Perl is everywhere that Debian is.
      `perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1", LocalPort => 9000, ReuseAddr => 1); $| = 1; print "up\\n"; while ($c = $l->accept) { while (<$c>) { print $c "echo $_" } close $c }'`,
    ])
    await once(forwarding.stdout, 'data')
    const say = async (to: number, first?: Buffer) => {
      const socket = connect(to, '127.0.0.1')
      let heard = ''
      socket.on('data', data => (heard += data.toString('latin1')))
      socket.on('error', () => {})
      let isOver = false
      socket.on('close', () => (isOver = true))
      if (first) {
        socket.write(Buffer.of(5, 1, 0))
        await until(
          async () => heard,
          text => text.length === 2,
        )
        socket.write(first)
        await until(
          async () => heard,
          text => text.length > 2 || isOver,
        )
      }
      // The other side hears the end and still answers.
      socket.end('hello\n')
      await until(
        async () => isOver,
        yes => yes,
      )
      return heard
    }
    const socksTo = (host: string, to: number) =>
      Buffer.concat([Buffer.of(5, 1, 0, 3, host.length), Buffer.from(host), Buffer.of(to >> 8, to & 255)])
    expect(await say(local)).toBe('echo hello\n')
    expect(await say(socks, socksTo('localhost', 9000))).toMatch(/echo hello\n$/)
    expect(await say(socks, socksTo('example.com', 80))).not.toMatch('echo')
    for (const refused of [10, 20, 30]) expect(await say(local + refused)).toBe('')
    // The server itself listens here.
    expect(await say(socks, socksTo('127.0.0.1', Number(new URL(server.url).port)))).not.toMatch('HTTP')
    forwarding.kill()
    expect((await ssh(['-o', 'ExitOnForwardFailure=yes', '-R', '9001:localhost:1', 'true'])).code).toBe(255)
    expect((await ssh(['-A', 'echo "agent: $SSH_AUTH_SOCK"'])).out.toString()).toBe('agent: \n')
  })

  test('20 sessions at once each get their own', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, at) => ssh([`echo ${at}; sleep 0.3`])))
    expect(all.map(({ out }) => out.toString())).toEqual(Array.from({ length: 20 }, (_, at) => `${at}\n`))
  })

  test('a wrong key, an unknown user, another user’s instance and a stranger’s password are refused alike', async () => {
    const stranger = await server.user('25')
    const theirs = await gateway.key(stranger)
    await user.client.instances.sshPassword({ id: box.id })
    const tries = [
      [gateway.options(box, gateway.strangersKey()), box.user],
      [gateway.options(box, theirs.file), box.user],
      [gateway.options(box, key.file), 'zzzzzzzz'],
      [gateway.options(box, null, 'wrong'), box.user],
      [gateway.options(box, null, 'wrong'), 'zzzzzzzz'],
      [gateway.options(box, null, 'wrong'), 'root'],
    ] as const
    for (const [{ args: withThese, env }, name] of tries) {
      const { code, err } = await runClient(
        'ssh',
        [...withThese, '-p', String(port), `${name}@127.0.0.1`, 'true'],
        { env },
      )
      expect(code).toBe(255)
      expect(err.trim()).toBe(`${name}@127.0.0.1: Permission denied (publickey,password).`)
    }
  })

  test('what is connected ends within two seconds of its key, its password, its account or its instance; a stopped one says so', async () => {
    const own = await server.user('100')
    const there = await gateway.instance(own, { name: 'worker' })
    const enter = async (file: string | null, secret?: string) => {
      const how = gateway.options(there, file, secret)
      const child = spawn(
        'ssh',
        [...how.args, '-p', String(port), `${there.user}@127.0.0.1`, 'echo in; sleep 60'],
        { env: { PATH: process.env['PATH'], ...how.env } },
      )
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (said += String(data)))
      // Not its exit: what it said last may be read after that.
      const closed = once(child, 'close')
      await until(
        async () => said,
        text => text.startsWith('in'),
      )
      return async () => {
        const began = Date.now()
        await closed
        expect(Date.now() - began).toBeLessThan(2_500)
        return said
      }
    }
    const first = await gateway.key(own)
    const second = await gateway.key(own)
    const byFirst = await enter(first.file)
    const bySecond = await enter(second.file)
    await own.client.ssh.deleteKey({ id: first.id })
    expect(await byFirst()).toMatch('You may not be connected any more')

    const { password } = await own.client.instances.sshPassword({ id: there.id })
    const byPassword = await enter(null, password)
    await own.client.instances.renewSshPassword({ id: there.id })
    expect(await byPassword()).toMatch('You may not be connected any more')

    const bySecondAgain = await enter(second.file)
    const ban = (until: string | null) =>
      server.services.database.kysely
        .updateTable('auth_user')
        .set({ banned_until: until })
        .where('id', '=', own.id)
        .execute()
    await ban('2999-01-01T00:00:00Z')
    for (const ended of [bySecond, bySecondAgain]) expect(await ended()).toMatch('You may not be connected')
    await ban(null)

    const last = await enter(second.file)
    await own.client.instances.stop({ id: there.id })
    expect(await last()).toMatch('in')
    await until(
      () => own.client.instances.get({ id: there.id }),
      each => each.status === 'stopped',
    )
    const { args: late } = gateway.options(there, second.file)
    const again = await runClient('ssh', [...late, '-p', String(port), `${there.user}@127.0.0.1`, 'true'])
    expect([again.code, again.err]).toEqual([
      1,
      'The instance worker is stopped. It can be reached by SSH while it runs; start it in the console or with a call.\r\n',
    ])
    // A stranger is not told.
    const { args: strange } = gateway.options(there, gateway.strangersKey())
    expect(
      (await runClient('ssh', [...strange, '-p', String(port), `${there.user}@127.0.0.1`, 'true'])).err,
    ).toMatch('Permission denied')
  })

  test('RSA keys sign with SHA-256, and not with SHA-1; ECDSA keys work too', async () => {
    const by = async (name: string, pair: { public: string; private: string }, ...more: string[]) => {
      const file = join(gateway.dir, name)
      writeFileSync(file, pair.private, { mode: 0o600 })
      const how = [...gateway.options(box, file).args, ...more, '-p', String(port)]
      return (await runClient('ssh', [...how, `${box.user}@127.0.0.1`, 'true'])).code
    }
    const rsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 })
    const ecdsa = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 521 })
    for (const pair of [rsa, ecdsa]) await user.client.ssh.addKey({ name: 'x', public_key: pair.public })
    expect(await by('rsa', rsa)).toBe(0)
    expect(await by('rsa', rsa, '-o', 'PubkeyAcceptedAlgorithms=ssh-rsa')).toBe(255)
    expect(await by('ecdsa', ecdsa)).toBe(0)
  })

  test('a client that says it takes everything and takes nothing fills nobody’s memory', async () => {
    const client = new ssh2.Client()
    client.on('error', () => {})
    client.connect({ host: '127.0.0.1', port, username: box.user, privateKey: key.text })
    await once(client, 'ready')
    const { _sock: socket, _protocol: protocol } = client as unknown as {
      _sock: Socket
      _protocol: { channelWindowAdjust(id: number, bytes: number): void }
    }
    const before = process.memoryUsage().rss
    client.exec('cat /dev/zero', (_error, channel) => {
      const { outgoing } = channel as unknown as { outgoing: { id: number } }
      protocol.channelWindowAdjust(outgoing.id, 2 ** 31 - 1)
      setImmediate(() => socket.pause())
    })
    await sleep(2_500)
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 2 ** 20)
    socket.destroy()
  })

  test('a client that goes away ends what it ran', async () => {
    const child = spawn('ssh', [
      ...args,
      '-p',
      String(port),
      `${box.user}@127.0.0.1`,
      'echo up; exec sleep 4321',
    ])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await until(
      async () => (await ssh(['pgrep -f "sleep 432[1]" || true'])).out.toString(),
      found => found === '',
    )
  })
})

describe.skipIf(noClients)('a simulated machine', () => {
  test('has its shell, its commands and its files', async () => {
    const user = await server.user('25')
    const box = await gateway.instance(user, { region: 'Middle-East' })
    const key = await gateway.key(user)
    const { args } = gateway.options(box, key.file)
    const to = [...args, '-p', String(port)]
    const ran = await runClient('ssh', [...to, `${box.user}@127.0.0.1`, 'whoami'])
    expect([ran.code, ran.out.toString()]).toEqual([0, 'root\n'])
    const shell = await runClient('ssh', [...to, '-tt', `${box.user}@127.0.0.1`], { input: 'whoami\rexit\r' })
    expect(shell.out.toString()).toMatch(/root/)
    expect(shell.code).toBe(0)
  })
})
