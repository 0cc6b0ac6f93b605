import { announcementLimits } from '@ingot/contracts/site/announcements'
import { IngotError } from '@ingot/contracts/errors'
import { type Client, createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until, useTestServer } from '../../product/test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
let admin: Client
beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  admin = user.client
})
beforeEach(async () => {
  await sql`delete from site_announcement`.execute(db())
  server.services.signals.send('posted')
  await until(
    async () => server.services.posted.now('console').items.length,
    n => n === 0,
  )
})

const words = { tone: 'info', place: 'both', text: 'New cards in EU-West' } as const
const inMs = (ms: number) => new Date(server.services.clock.now() + ms).toISOString()
const told = async (place: 'site' | 'console') =>
  (await createClient({ baseUrl: server.url }).site.told({ place })).items.map(({ text }) => text)
const refused = async (work: Promise<unknown>) => {
  const error = (await work.catch((cause: unknown) => cause)) as IngotError
  expect(error).toBeInstanceOf(IngotError)
  return error.fields ?? error.code
}

describe('an announcement', () => {
  test('is told where it is for, from when it begins until it ends, by anybody who asks', async () => {
    await admin.site.announce({ ...words, text: 'On pages', place: 'site' })
    await admin.site.announce({ ...words, text: 'In the console', place: 'console', until: inMs(60_000) })
    const planned = await admin.site.announce({ ...words, text: 'Later', from: inMs(30_000) })
    expect(planned.state).toBe('planned')
    await until(
      () => told('site'),
      texts => texts.length === 1,
    )
    expect(await told('site')).toEqual(['On pages'])
    expect(await told('console')).toEqual(['In the console'])
    await server.advance(31_000)
    expect(await told('console')).toEqual(['Later', 'In the console'])
    await server.advance(31_000)
    expect(await told('console')).toEqual(['Later'])
    const { items } = await admin.site.announcements({ state: 'over' })
    expect(items.map(({ text }) => text)).toEqual(['In the console'])
    await admin.site.endAnnouncement({ id: planned.id })
    await until(
      () => told('console'),
      texts => texts.length === 0,
    )
    expect((await admin.site.announcements({})).items).toHaveLength(3)
  })

  test('reaches an open stream at once, also when its time comes', async () => {
    const { client } = await server.user()
    const leaving = new AbortController()
    const opened = Promise.withResolvers<void>()
    const types: string[] = []
    const reading = (async () => {
      for await (const { type } of client.events({ signal: leaving.signal, onOpen: opened.resolve }))
        types.push(type)
    })().catch(() => {})
    await opened.promise
    await admin.site.announce(words)
    await until(
      async () => types.filter(type => type === 'site.changed').length,
      n => n === 1,
    )
    await admin.site.announce({ ...words, from: inMs(50) })
    await until(
      async () => types.filter(type => type === 'site.changed').length,
      n => n === 2,
    )
    leaving.abort()
    await reading
  })

  test('has another key once its text was changed, so that whoever put it away sees it again', async () => {
    const { id } = await admin.site.announce({ ...words, until: inMs(60_000) })
    await until(
      () => told('site'),
      texts => texts.length === 1,
    )
    const key = () => server.services.posted.now('site').items[0]!.key
    const first = key()
    const link = { link_label: 'Read', link_href: '/blog' }
    await admin.site.changeAnnouncement({ id, ...words, ...link, tone: 'warn' })
    await until(
      async () => server.services.posted.now('site').items[0]!.tone,
      tone => tone === 'warn',
    )
    expect(key()).toBe(first)
    expect(server.services.posted.now('site').items[0]!.link).toEqual({ label: 'Read', href: '/blog' })
    await admin.site.changeAnnouncement({ id, ...words, text: 'Other words' })
    await until(
      () => told('site'),
      texts => texts[0] === 'Other words',
    )
    expect(key()).not.toBe(first)
    const { rows } = await sql<{ operation: string }>`
      select operation from audit_log where subject_id = ${id} order by id`.execute(db())
    expect(rows.map(({ operation }) => operation)).toEqual([
      'createAnnouncement',
      'changeAnnouncement',
      'changeAnnouncement',
    ])
  })

  test.each([
    ['a link without words', { link_href: '/blog' }, 'link_label'],
    ['words without a link', { link_label: 'Read' }, 'link_href'],
    ['a link that runs something', { link_label: 'Read', link_href: 'javascript:alert(1)' }, 'link_href'],
    ['a link without TLS', { link_label: 'Read', link_href: 'http://a.example/' }, 'link_href'],
    ['a link that leaves by a double slash', { link_label: 'Read', link_href: '//a.example' }, 'link_href'],
    ['a link that leaves by a backslash', { link_label: 'Read', link_href: '/\\a.example' }, 'link_href'],
    ['two lines', { text: 'a\nb' }, 'text'],
    ['a blank text', { text: ' ' }, 'text'],
    ['a long text', { text: 'x'.repeat(announcementLimits.text + 1) }, 'text'],
    ['an end before the beginning', { from: '2040-01-02T00:00:00Z', until: '2040-01-01T00:00:00Z' }, 'until'],
    ['an end that has passed', { from: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' }, 'until'],
  ])('with %s is refused by the name of the field', async (_, given, field) => {
    expect(Object.keys((await refused(admin.site.announce({ ...words, ...given }))) as object)).toEqual([
      field,
    ])
  })

  test('is one of five at most, also when two are written at once', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: announcementLimits.atOnce + 2 }, () => admin.site.announce(words)),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(announcementLimits.atOnce)
    const { items } = await admin.site.announcements({})
    await admin.site.endAnnouncement({ id: items[0]!.id })
    await admin.site.announce(words)
    expect(await refused(admin.site.announce(words))).toBe('invalid_state')
  })
})
