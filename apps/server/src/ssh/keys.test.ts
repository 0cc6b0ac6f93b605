import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxSshKeys } from '@ingot/contracts/ssh'
import { sql } from 'kysely'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { deleteAccount } from '../accounts/delete-account.ts'
import { useTestServer } from '../product/test-server.ts'
import { readPublicKey } from './public-key.ts'
import { keyPair } from './test-rows.ts'

const server = useTestServer({ worker: false })

/** What `fields` says of a key that is refused. */
const problem = async (client: Awaited<ReturnType<typeof server.user>>['client'], public_key: string) =>
  client.ssh.addKey({ name: 'x', public_key }).then(
    () => null,
    error => (error as { fields?: Record<string, string> }).fields?.['public_key'] ?? String(error),
  )

test('a key is kept under its name, without its comment, shown with its fingerprint, and removed; activity says so', async () => {
  const { client } = await server.user()
  const line = `${keyPair().public} ada@laptop`
  const key = await client.ssh.addKey({ name: ' Laptop ', public_key: `  ${line}\n` })
  expect(key).toMatchObject({
    name: 'Laptop',
    type: 'ssh-ed25519',
    public_key: line.split(' ').slice(0, 2).join(' '),
    fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
    last_used_at: null,
  })
  expect(await client.ssh.keys()).toEqual({ items: [key], next_cursor: null })
  await client.ssh.deleteKey({ id: key.id })
  expect((await client.ssh.keys()).items).toEqual([])
  await expect(client.ssh.deleteKey({ id: key.id })).rejects.toMatchObject({ code: 'not_found' })
  const { items } = await client.activity.usageLogs({})
  expect(items.map(({ action, message }) => [action, message])).toEqual([
    ['ssh_key_removed', `Laptop, ${key.fingerprint}`],
    ['ssh_key_added', `Laptop, ${key.fingerprint}`],
  ])
})

test('Ed25519, ECDSA and RSA from 2,048 bits are taken', async () => {
  const { client } = await server.user()
  const { generateKeyPairSync } = ssh2.utils
  for (const [type, line] of [
    ['ecdsa-sha2-nistp256', generateKeyPairSync('ecdsa', { bits: 256 }).public],
    ['ecdsa-sha2-nistp384', generateKeyPairSync('ecdsa', { bits: 384 }).public],
    ['ecdsa-sha2-nistp521', generateKeyPairSync('ecdsa', { bits: 521 }).public],
    ['ssh-rsa', generateKeyPairSync('rsa', { bits: 2048 }).public],
  ] as const)
    expect((await client.ssh.addKey({ name: type, public_key: line })).type).toBe(type)
})

test('anything else is refused, and the field says why', async () => {
  const { client } = await server.user()
  const pair = keyPair()
  const [type, base64] = pair.public.split(' ') as [string, string]
  expect(await problem(client, pair.private)).toMatch('private key')
  expect(await problem(client, ssh2.utils.generateKeyPairSync('rsa', { bits: 1024 }).public)).toMatch(
    'this RSA key has 1024',
  )
  for (const text of [
    'ssh-dss AAAAB3NzaC1kc3MAAACBAP1',
    `sk-${type}@openssh.com ${base64}`,
    `command="ls" ${pair.public}`,
    `${pair.public}\n${keyPair().public}`,
    base64,
    'hello',
    `${type} ${base64.slice(0, -12)}`,
    `${type} ${base64}AAAA`,
    `ssh-rsa ${base64}`,
    // A point that is on no curve.
    `ecdsa-sha2-nistp256 ${Buffer.concat([
      Buffer.from([0, 0, 0, 19]),
      Buffer.from('ecdsa-sha2-nistp256'),
      Buffer.from([0, 0, 0, 8]),
      Buffer.from('nistp256'),
      Buffer.from([0, 0, 0, 65, 4]),
      Buffer.alloc(64, 7),
    ]).toString('base64')}`,
  ])
    expect(await problem(client, text), text).toMatch(/one line|must be|whole public key/)
  await expect(client.ssh.addKey({ name: 'x', public_key: 'a'.repeat(9000) })).rejects.toMatchObject({
    code: 'validation_failed',
  })
  expect((await client.ssh.keys()).items).toEqual([])
})

test('the same key twice, and one more than an account may have, are refused with the field', async () => {
  const { client } = await server.user()
  const { public: line } = keyPair()
  await client.ssh.addKey({ name: 'First', public_key: line })
  expect(await problem(client, `${line} another-comment`)).toBe('is there already, as First')
  // Another account may have it.
  await (await server.user()).client.ssh.addKey({ name: 'Mine too', public_key: line })

  const added = await Promise.all(
    Array.from({ length: maxSshKeys + 5 }, () => problem(client, keyPair().public)),
  )
  expect(added.filter(each => each === null)).toHaveLength(maxSshKeys - 1)
  expect(added.find(each => each !== null)).toMatch('at most 50')
})

test('every key that is made can be read', () => {
  for (let i = 0; i < 1_000; i++) {
    const made = keyPair()
    const [own, shown] = [ssh2.utils.parseKey(made.private), readPublicKey(made.public)]
    expect(own instanceof Error || own.getPublicSSH()).toEqual(shown.blob)
  }
})

test('keys go with their account', async () => {
  const user = await server.user()
  await user.client.ssh.addKey({ name: 'Laptop', public_key: keyPair().public })
  await deleteAccount(server.services, user.id, { by: user.id, balance: null })
  const { rows } = await sql`select from ssh_key where user_id = ${user.id}`.execute(server.owner)
  expect(rows).toHaveLength(0)
})

test.skipIf(!existsSync('/usr/bin/ssh-keygen'))(
  'the fingerprint is the one that ssh-keygen shows',
  async () => {
    const { client } = await server.user()
    const dir = mkdtempSync(join(tmpdir(), 'ingot-ssh-keys-'))
    try {
      for (const args of [['ed25519'], ['ecdsa', '-b', '384'], ['rsa', '-b', '3072']]) {
        const file = join(dir, args[0]!)
        execFileSync('ssh-keygen', ['-q', '-N', '', '-t', ...args, '-f', file])
        const key = await client.ssh.addKey({
          name: args[0]!,
          public_key: readFileSync(`${file}.pub`, 'utf8'),
        })
        expect(execFileSync('ssh-keygen', ['-lf', `${file}.pub`]).toString()).toContain(
          ` ${key.fingerprint} `,
        )
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
  },
)
