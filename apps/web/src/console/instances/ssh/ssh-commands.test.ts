import { expect, test } from 'vitest'
import { aliasOf, sshCommands } from './ssh-commands.ts'

const access = {
  host: 'gpu.example.com',
  port: 2222,
  user: 'k3b9xw2m',
  host_key: 'ssh-ed25519 AAAA',
}

test('commands hold the true host, port and user', () => {
  const { connect, upload, download, port, config, knownHost } = sshCommands('My box', access)
  expect(connect).toBe('ssh -p 2222 k3b9xw2m@gpu.example.com')
  expect(upload).toBe('scp -P 2222 file.txt k3b9xw2m@gpu.example.com:')
  expect(download).toBe('scp -P 2222 k3b9xw2m@gpu.example.com:file.txt .')
  expect(port).toBe('ssh -p 2222 -N -L 8888:localhost:8888 k3b9xw2m@gpu.example.com')
  expect(config).toBe(
    'Host my-box\n  HostName gpu.example.com\n  Port 2222\n  User k3b9xw2m\n  ServerAliveInterval 30',
  )
  expect(knownHost).toBe('[gpu.example.com]:2222 ssh-ed25519 AAAA')
})

test('an address of IPv6 is bracketed where a colon follows, and the usual port stands in no known host', () => {
  expect(sshCommands('box', { ...access, host: '::1' }).download).toBe(
    'scp -P 2222 k3b9xw2m@[::1]:file.txt .',
  )
  expect(sshCommands('box', { ...access, port: 22 }).knownHost).toBe('gpu.example.com ssh-ed25519 AAAA')
})

test('no name of an instance becomes anything but a word of a shell', () => {
  expect(aliasOf('a; rm -rf $HOME `x`\n  ProxyCommand evil', 'u')).toBe('a-rm-rf-home-x-proxycommand-evil')
  expect(aliasOf('日本', 'k3b9xw2m')).toBe('k3b9xw2m')
})
