import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, expect, test } from 'vitest'
import { until, useTestServer } from '../product/test-server.ts'
import { queueMail } from '../worker/mail.ts'
import { deleteAccount } from './delete-account.ts'

const received: { to: string; text: string }[] = []
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    const chunks: Buffer[] = []
    stream.on('data', chunk => chunks.push(chunk))
    stream.once('end', () => {
      received.push({ to: session.envelope.rcptTo[0]!.address, text: Buffer.concat(chunks).toString() })
      done()
    })
  },
})
await new Promise<void>(resolve => smtp.listen(0, '127.0.0.1', resolve))
const { port } = smtp.server.address() as AddressInfo
const server = useTestServer({
  env: { INGOT_SMTP_URL: `smtp://127.0.0.1:${port}`, INGOT_MAIL_FROM: 'Ingot <no-reply@example.com>' },
})
afterAll(() => new Promise<void>(resolve => smtp.close(resolve)))

test('the farewell reaches them, and then nothing says any more to whom it went', async () => {
  const user = await server.user('3')
  await deleteAccount(server.services, user.id, { by: user.id, balance: 'refund' })
  await until(
    async () => received,
    mails => mails.length > 0,
  )
  expect(received).toHaveLength(1)
  expect(received[0]!.to).toBe(`${user.id}@example.com`)
  expect(received[0]!.text).toContain('Subject: Your Ingot account is deleted')
  const rows = await until(
    () => server.services.database.kysely.selectFrom('mail').selectAll().execute(),
    all => all.every(row => row.sent_at !== null),
  )
  expect(rows).toMatchObject([{ recipient: '', body_sealed: null, due_at: null }])
})

test('a mail is sealed until it is sent, and then only its subject and to whom it went are kept', async () => {
  const { database, vault, signals } = server.services
  const rows = () =>
    database.kysely.selectFrom('mail').selectAll().where('recipient', '=', 'ada@example.com').execute()
  await queueMail(database.kysely, vault, { to: 'ada@example.com', subject: 'A link', text: 'It is secret' })
  const [waiting] = await rows()
  if (waiting!.sent_at === null) expect(waiting!.body_sealed!.includes('secret')).toBe(false)
  signals.send('mail')
  const sent = await until(rows, all => all.every(row => row.sent_at !== null))
  expect(received.findLast(mail => mail.to === 'ada@example.com')!.text).toContain('It is secret')
  expect(sent).toMatchObject([{ subject: 'A link', body_sealed: null, last_error: null, due_at: null }])
})
