/** What brings money into a wallet of the simulation, sets it aside, takes it out or writes it down. */
import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { newId } from '../../db/ids.ts'
import { monthEnd } from './budget-model.ts'
import { makeWaiting } from './waiting.ts'
import type { Wallet } from './wallet-model.ts'
import {
  at,
  call,
  day,
  minimumDeposit,
  pick,
  refusalOf,
  reviewLimit,
  type Step,
  type World,
} from './world.ts'

export async function deposit(world: World, each: Step): Promise<string> {
  const { x, y } = each
  if (y % 5 === 0 && world.repeats.length) {
    await pick(world.repeats, x)(each)
    return 'a payment again'
  }
  if (y % 5 === 1 && world.reviews.length) return decide(world, each)
  // Whoever let something lapse may pay for it within the days of grace.
  const owing = world.wallets.findIndex(({ meters }) => [...meters.values()].some(m => m.lapsedAt !== null))
  const who = owing >= 0 && y % 2 ? owing : each.who
  const lapsed = [...world.wallets[who]!.meters.values()].find(m => m.lapsedAt !== null)
  const asked = lapsed && y % 2 ? lapsed.price * 720n : 0n
  const micro = asked + BigInt(1 + (x % (y % 3 === 0 || asked ? 12_000_000 : 150_000_000)))
  const [id, txid] = [newId(), randomBytes(32)]
  const creditEndsAt = creditEnd(world, each)
  const send = (cut: Step) =>
    call(
      world,
      cut,
      `select credit_deposit($1, 'simulated', $2, 0, $3, 1, $6, '\\x00', '\\x00', $4, $5, 19, $6, $7, $8)`,
      [
        id,
        txid,
        world.userIds[who],
        micro,
        minimumDeposit,
        at(world.now),
        reviewLimit,
        creditEndsAt && at(creditEndsAt),
      ],
    )
  world.repeats.push(send)
  await send(each)
  if (micro > reviewLimit) {
    world.reviews.push({ id, who, micro })
    return `deposit ${micro}, for review`
  }
  world.waiting[who]! += micro
  if (world.waiting[who]! >= minimumDeposit) {
    world.wallets[who]!.add(world.waiting[who]!, world.now, micro < minimumDeposit ? null : creditEndsAt)
    world.flows[who]!.deposited += world.waiting[who]!
    world.waiting[who] = 0n
  }
  return `deposit ${micro}`
}

/** The operator gives credit, or not: for hours or weeks. */
const creditEnd = ({ now }: World, { x, y }: Step) => (y % 4 ? now + 1 + (x % ((1 + (y % 30)) * day)) : null)

/** By a person, or by two at once. */
async function decide(world: World, each: Step): Promise<string> {
  const [{ id, who, micro }] = world.reviews.splice(each.x % world.reviews.length, 1) as [World['reviews'][0]]
  if (each.x % 4 === 0) {
    await call(world, each, `select reject_deposit($1, 'No', $2)`, [id, at(world.now)])
    return `deposit ${micro} rejected`
  }
  const creditEndsAt = creditEnd(world, each)
  const approve = () =>
    call(world, each, 'select approve_deposit($1, $2, $3)', [
      id,
      at(world.now),
      creditEndsAt && at(creditEndsAt),
    ])
  await (each.x % 2 ? Promise.all([approve(), approve()]) : approve())
  world.wallets[who]!.add(micro, world.now, creditEndsAt)
  world.flows[who]!.deposited += micro
  return `deposit ${micro} approved`
}

export async function aside(
  world: World,
  each: Step,
  wallet: Wallet,
  userId: string,
  y: number,
): Promise<string> {
  const micro = BigInt(1 + (each.x % 20_000_000))
  if (y % 8 === 0) {
    await call(world, each, `select credit_wallet($1, $2, 'gift', $3, $4)`, [
      userId,
      micro,
      newId(),
      at(world.now),
    ])
    wallet.add(micro, world.now)
    world.flows[each.who]!.given += micro
    return `gift ${micro}`
  }
  if (y % 4 < 2) return takeOut(world, each, wallet, userId)
  if (y % 8 === 6) return queue(world, each, wallet, userId)
  const { asked, waits } = world.flows[each.who]!
  if (y % 2 && wallet.held - (asked?.micro ?? 0n) - (waits?.micro ?? 0n) >= micro) {
    await call(world, each, `select release_funds($1, 'hold', $2, 'free', $3, $4)`, [
      userId,
      micro,
      newId(),
      at(world.now),
    ])
    wallet.release(micro, world.now)
    return `release ${micro}`
  }
  const refused = await refusalOf(
    call(world, each, `select hold_funds($1, 'hold', $2, 'hold', $3, $4)`, [
      userId,
      micro,
      newId(),
      at(world.now),
    ]),
  )
  expect(refused, 'why it was refused').toBe(wallet.hold(micro, world.now) ? null : 'funds')
  return `hold ${micro}: ${refused ?? 'made'}`
}

/** An instance waits for a place, with money set aside; leaves; or has its turn, and then nothing else is paid with it. */
async function queue(world: World, each: Step, wallet: Wallet, userId: string): Promise<string> {
  const flow = world.flows[each.who]!
  if (flow.waits) {
    const { id, micro } = flow.waits
    flow.waits = null
    const isTurn = each.x % 2 === 0
    await call(world, each, `select ${isTurn ? 'take_queued' : 'leave_queue'}($1, $2)`, [id, at(world.now)])
    wallet.release(micro, world.now, !isTurn)
    return `${isTurn ? 'turn of' : 'queue left by'} ${id}`
  }
  const [id, micro] = [newId(), BigInt(1 + (each.x % 20_000_000))]
  await makeWaiting(world.database.kysely, id, userId)
  const refused = await refusalOf(
    call(world, { ...each, isCut: 1 }, `select enter_queue($1, $1, $2, 1, $3, false, null, $3, 5, $4)`, [
      id,
      userId,
      micro,
      at(world.now),
    ]),
  )
  // As its deploy would be now; and what is set aside is money.
  const [isCovered, isOver] = [wallet.free(world.now) >= micro, wallet.budgets.refuses(micro, world.now)]
  const isHeld = isCovered && !isOver && wallet.hold(micro, world.now)
  expect(refused, 'why it was refused').toBe(isHeld ? null : isCovered && isOver ? 'budget' : 'funds')
  if (!refused) flow.waits = { id, micro }
  return `queue ${id} ${micro}: ${refused ?? 'entered'}`
}

const txidOf = (id: string) => createHash('sha256').update(id).digest()

/** Somebody wants all that they may have back, or part of it; takes that back; or is paid. */
async function takeOut(world: World, each: Step, wallet: Wallet, userId: string): Promise<string> {
  const { x, who } = each
  const flow = world.flows[who]!
  if (flow.asked) {
    const { id, micro } = flow.asked
    flow.asked = null
    if (x % 2) {
      await call(world, each, 'select cancel_withdrawal($1, $2, null, $3)', [id, userId, at(world.now)])
      wallet.release(micro, world.now)
      return `withdrawal ${id} cancelled`
    }
    await call(
      world,
      each,
      `select record_sweep('simulated', $2, 0, 1, now(), '\\x00', address20, amount_micro) from withdrawal where id = $1`,
      [id, txidOf(id)],
    )
    await call(world, each, `select settle_payout('simulated', $1, 0, $2)`, [txidOf(id), at(world.now)])
    wallet.held -= micro
    flow.paidOut += micro
    return `withdrawal ${id} paid`
  }
  const { rows } = await world.database.pool.query<{ most: string }>(
    'select withdrawable($1, $2)::text as most',
    [userId, at(world.now)],
  )
  const most = BigInt(rows[0]!.most)
  // Neither more than there is, nor a gift: the reserve of what runs is the rest.
  const free = wallet.money(world.now) - flow.given
  expect(most).toBeLessThanOrEqual(free > 0n ? free : 0n)
  const ask = (id: string, micro: bigint, cut: Step) =>
    call(world, cut, `select request_withdrawal($1, $2, $3, $4, $6, 'back', 1000, $5)`, [
      id,
      userId,
      micro,
      randomBytes(20),
      at(world.now),
      randomBytes(32),
    ])
  expect(await refusalOf(ask(newId(), most + 1n, { ...each, isCut: 1 })), 'more than may go').toBe('funds')
  if (most === 0n) return 'nothing to withdraw'
  const [id, micro] = [newId(), x % 3 ? most : 1n + (BigInt(x) % most)]
  // A second time it finds the first.
  await ask(id, micro, { ...each, isCut: 1 })
  flow.asked = { id, micro }
  wallet.hold(micro, world.now)
  expect(flow.paidOut + micro, 'at most what was deposited').toBeLessThanOrEqual(flow.deposited)
  return `withdrawal ${id} of ${micro} of ${most}`
}

/** Closes the month before, by one or by two at once. What ran in it and is not charged is charged first. */
export async function invoice(world: World, each: Step, wallet: Wallet, userId: string): Promise<string> {
  const now = new Date(world.now)
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))
  const issue = () =>
    call(world, each, `select count(*) from issue_invoices($1, $2, $3, 'SIM', '{}', '\\x00')`, [
      userId,
      at(before.getTime()).slice(0, 10),
      at(world.now),
    ])
  await (each.x % 2 ? Promise.all([issue(), issue()]) : issue())
  if (wallet.running().some(m => m.meteredTo! < monthEnd(before.getTime()))) wallet.settle(world.now)
  return `invoices up to ${at(before.getTime()).slice(0, 7)}`
}
