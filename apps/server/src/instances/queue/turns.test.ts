/** Who may pass whom: places and turns as rows, with nobody that serves the queue. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { usePlaces } from '../../catalog/test-hosts.ts'
import { newId } from '../../db/ids.ts'
import { makeWaiting } from '../../ledger/testing/waiting.ts'

const places = usePlaces()

/** Waits for so many cards: on any host, or with its disk on one. */
async function wait(
  count: number,
  { type = 'A40', host = null as bigint | null, blocked = null as string | null } = {},
) {
  const id = newId()
  const db = places.owner()
  const { rows: owners } = await sql<{ id: string }>`select id from auth_user`.execute(db)
  await makeWaiting(db, id, owners[0]!.id, places.driver(), type, count, host)
  await sql`
    insert into instance_queue (id, instance_id, user_id, starts, held_micro, blocked, queued_at)
    values (${id}, ${id}, ${owners[0]!.id}, true, 0, ${blocked}, now())`.execute(db)
  const { rows: at } = await sql<{ position: number }>`
    select queue_position(q) as position from instance_queue q where id = ${id}`.execute(db)
  return { id, position: at[0]!.position }
}
const leave = (id: string) => sql`delete from instance_queue where id = ${id}`.execute(places.owner())

test('nobody takes what somebody before them could use; fewer cards than they need, and other cards, may be had', async () => {
  const { tell, hostOf, cardsOf, deploy, why } = places
  await tell(hostOf('a', [...cardsOf('a', 4), ...cardsOf('t', 1, 'Tesla T4')]))
  const two = await wait(2)
  expect(await why(deploy(2))).toBe('taken')
  expect(await why(deploy(4))).toBe('taken')
  await deploy(1)
  await deploy(1, 'T4')
  await leave(two.id)
  await deploy(2)
})

test('one that is passed over for lack of money keeps nobody back', async () => {
  const { tell, hostOf, cardsOf, deploy } = places
  await tell(hostOf('a', cardsOf('a', 1)))
  await wait(1, { blocked: 'no money' })
  expect((await deploy(1)).cards).toHaveLength(1)
})

test('one whose disk is on another host keeps nobody back on this one', async () => {
  const { tell, hostOf, cardsOf, deploy, why } = places
  await tell(hostOf('a', cardsOf('a', 1)))
  const held = await deploy(1)
  await wait(1, { host: held.host })
  await tell(hostOf('a', cardsOf('a', 1)), hostOf('b', cardsOf('b', 1)))
  await deploy(1)
  await places.set(held, 'stopped')
  expect(await why(deploy(1))).toBe('taken')
})

test('the position counts those that want the same card, and all where hosts have none', async () => {
  const { tell, hostOf, cardsOf } = places
  await tell(hostOf('a', [...cardsOf('a', 1), ...cardsOf('t', 1, 'Tesla T4')]))
  expect([
    (await wait(1)).position,
    (await wait(1, { type: 'T4' })).position,
    (await wait(1)).position,
  ]).toEqual([1, 1, 2])
  places.use(`${places.driver()}-open`)
  await tell(hostOf('any', null, { machines: 1 }))
  expect([(await wait(1)).position, (await wait(1, { type: 'T4' })).position]).toEqual([1, 2])
  expect(await places.why(places.deploy(1, 'H100'))).toBe('taken')
})
