/**
 * What happens to wallets in the simulation: each step is made with the ledger and with its model, as chance has it.
 */
import { expect } from 'vitest'
import { newId } from '../../db/ids.ts'
import { changeMonth } from './growth-operations.ts'
import { look } from './look-model.ts'
import type { Meter } from './meter-model.ts'
import { aside, deposit, invoice } from './money-operations.ts'
import { monthOf } from './budget-model.ts'
import type { Wallet } from './wallet-model.ts'
import {
  at,
  call,
  day,
  hour,
  instance,
  minute,
  monthlyKind,
  mostMeters,
  pick,
  priceOf,
  refusalOf,
  type Step,
  type World,
} from './world.ts'

export async function act(world: World, each: Step): Promise<string> {
  const { op, who, which, x, y } = each
  const { now } = world
  const wallet = world.wallets[who]!
  const userId = world.userIds[who]!
  const meters = [...wallet.meters.values()].filter(m => !m.isOver)
  const meter = meters.length ? pick(meters, which + x) : null
  if (op < 24) return pass(world, each)
  if (op < 26) return changeMonth(world, each, wallet, meters)
  if (op < 34) return lookAround(world, each)
  if (op < 36) return invoice(world, each, wallet, userId)
  if (op < 43) return round(world, each)
  if (op < 51) return deposit(world, each)
  if (op < 58) return budget(world, each, wallet, userId, meters)
  if (op < 66 || meter === null) return deploy(world, each)
  if (op < 76) {
    if (meter.lapsedAt !== null || (!meter.kind.isLookedAt && meter.meteredTo !== null)) return 'nothing'
    await call(world, each, 'select open_meter($1, $2, $3)', [
      meter.id,
      at(now),
      meter.source && world.sourceId,
    ])
    wallet.open(meter, now)
    return `open ${meter.id}`
  }
  if (op < 82) {
    if (meter.lapsedAt !== null) return 'nothing'
    await call(world, each, `select count(*) from close_meter($1, $2, 'stop')`, [meter.id, at(now)])
    wallet.close(meter, now)
    if (meter.source && x % 2) return `${await confirm(world, each, meter, wallet)} after its stop`
    return `close ${meter.id}`
  }
  if (op < 86) return meter.source ? confirm(world, each, meter, wallet) : 'nothing'
  if (op < 89) {
    if (!meter.source) return 'nothing'
    const seenAt = now - (x % 20_000)
    await call(world, each, 'select see_meter($1, $2, $3)', [meter.id, at(seenAt), at(now)])
    wallet.see(meter, seenAt, now)
    return `see ${meter.id} at ${at(seenAt)}`
  }
  if (op < 92) {
    // While it runs its price stands.
    if (meter.meteredTo !== null || meter.endedAt !== null) return 'nothing'
    await call(world, each, 'select set_meter_price($1, $2)', [meter.id, priceOf(x)])
    meter.price = priceOf(x)
    meter.month = null
    return `price ${meter.id} ${priceOf(x)}`
  }
  if (op < 94) {
    await call(world, each, `select count(*) from close_meter($1, $2, 'delete')`, [meter.id, at(now)])
    wallet.close(meter, now)
    if (meter.source) await confirm(world, each, meter, wallet)
    await call(world, each, 'select return_prepaid($1, $2)', [meter.id, at(now)])
    wallet.giveBack(meter, now)
    return `delete ${meter.id}`
  }
  if (op < 96) return aside(world, each, wallet, userId, y)
  if (op === 96) return failFirstStart(world, each, meters, wallet)
  const inTerm = meters.filter(m => m.paidUntil !== null && m.paidUntil > now)
  return atTerm(world, each, inTerm.length ? pick(inTerm, which + x) : meter, wallet)
}

/** Time, and a clock that is set. */
async function pass(world: World, { x, y }: Step): Promise<string> {
  const chance = y % 20
  if (chance === 0) world.now += hour
  else if (chance === 1) world.now -= hour
  else if (chance < 8) world.now += x % minute
  else if (chance < 16) world.now += x % (3 * hour)
  else if (chance < 19) world.now += x % (3 * day)
  else world.now += x % (20 * day)
  return `time passes to ${at(world.now)}`
}

/** A look at all that run, of which some may be missed; asked for a little earlier. */
async function lookAround(world: World, each: Step): Promise<string> {
  const lookedAt = world.now - (each.x % 5_000)
  const running = world.wallets
    .flatMap(({ meters }) => [...meters.values()])
    .filter(m => m.source && m.meteredTo !== null)
  const missed = running.filter((_, i) => (each.y >> (i % 30)) % 4 === 0 && each.y % 3 === 0).map(m => m.id)
  const found = running.filter(m => m.isMissed && !missed.includes(m.id)).map(m => m.id)
  await call(world, each, 'select note_looks($1, $2, $3, $4, $5)', [
    world.sourceId,
    at(lookedAt),
    missed,
    found,
    at(world.now),
  ])
  look(world.wallets, world.source, lookedAt, new Set(missed), world.now)
  return `look at ${at(lookedAt)}, ${missed.length} of ${running.length} missed`
}

/** The timer comes round: for what is due, or for all; once or twice at once. */
async function round(world: World, each: Step): Promise<string> {
  const isForAll = each.x % 4 === 0
  const due = world.userIds.filter(
    (_, i) => isForAll || (world.wallets[i]!.dueAt ?? Number.POSITIVE_INFINITY) <= world.now,
  )
  const text = isForAll ? 'select count(*) from settle_wallets($1, $2)' : 'select settle_due($1, $2)'
  const settle = () => call(world, each, text, [isForAll ? due : world.userIds, at(world.now)])
  await (each.y % 3 === 0 ? Promise.all([settle(), settle()]) : settle())
  for (const id of due) world.wallets[world.userIds.indexOf(id)]!.settle(world.now)
  return `round for ${due.length}${isForAll ? ', due or not' : ''}`
}

/** Of the account or of a meter: mostly what it uses in some hours, or about what was spent, or none. */
async function budget(
  world: World,
  each: Step,
  wallet: Wallet,
  userId: string,
  meters: readonly Meter[],
): Promise<string> {
  const { x, y } = each
  const hourly = meters.filter(m => m.kind.renewsMs === null)
  const own = y % 2 && hourly.length ? pick(hourly, x) : null
  const known = wallet.budgets.spentNow(world.now).find(({ id }) => id === (own?.id ?? null))
  const spent = known?.spent ?? own?.spent ?? wallet.budgets.spentIn(monthOf(world.now))
  const running = hourly.filter(m => m.meteredTo !== null && (!own || own === m))
  const perHour = running.reduce((sum, { price }) => sum + price, 0n)
  const some = (perHour * BigInt(x % 1000)) / 100n
  const limit = x % 11 === 0 ? null : x % 4 ? spent + some + 1n : 1n + (spent * BigInt(50 + (x % 100))) / 100n
  const stops = (x >> 5) % 4 !== 0
  await call(world, each, 'select set_budget($1, $2, $3, $4, $5)', [
    userId,
    own?.id ?? null,
    limit,
    stops ? 'stop' : 'warn',
    at(world.now),
  ])
  wallet.budgets.set(own, limit, stops, world.now)
  return `budget of ${own?.id ?? 'the account'}: ${limit} ${stops ? 'stop' : 'warn'}`
}

async function deploy(world: World, each: Step): Promise<string> {
  const { who, x, y } = each
  const wallet = world.wallets[who]!
  if ([...wallet.meters.values()].filter(m => m.prepaid > 0n || m.meteredTo !== null).length >= mostMeters)
    return 'nothing'
  const isMonthly = y % 3 === 0
  // Most months take so much of a wallet that it hardly covers the next one.
  const price = isMonthly && x % 3 ? 1n + (wallet.balance * BigInt(30 + (x % 60))) / 72_000n : priceOf(x)
  const isUpfront = y % 3 === 1 && x % 4 < 3
  const paidUntil = isUpfront ? world.now + (x % 30) * day + 1 : null
  // Mostly no multiple of its hours, as $1.00 is none.
  const total = isMonthly ? price * 720n + BigInt(x % 720) : isUpfront ? price * BigInt(1 + (x % 700)) : price
  const id = newId()
  const refused = await refusalOf(
    call(
      world,
      { ...each, isCut: 1 },
      `select deploy_charge($1, $2, 'box', $3, $4, $5, 'box: setup', $6, false, $7)`,
      [
        world.userIds[who],
        id,
        price,
        total,
        paidUntil && at(paidUntil),
        at(world.now),
        isMonthly ? 'scratch' : 'instance',
      ],
    ),
  )
  const kind = isMonthly ? monthlyKind : instance
  const refusal = wallet.deploy(
    { id, kind, source: isMonthly ? null : world.source, price, paidUntil },
    total,
    world.now,
  )
  expect(refused, 'why it was refused').toBe(refusal)
  const made = refusal === null
  if (made && (isMonthly ? x % 5 : x % 2)) {
    await call(world, each, 'select open_meter($1, $2, $3)', [
      id,
      at(world.now),
      isMonthly ? null : world.sourceId,
    ])
    wallet.open(wallet.meters.get(id)!, world.now)
  }
  return `deploy ${isMonthly ? 'monthly' : isUpfront ? 'upfront' : 'hourly'} ${id} at ${price}: ${refusal ?? 'made'}`
}

/** A last look: the run ended some time between the last look that found it and now. */
async function confirm(world: World, each: Step, meter: Meter, wallet: Wallet): Promise<string> {
  const end = world.now - (each.x % 3 === 0 ? each.x % (6 * hour) : each.x % (5 * minute))
  await call(world, each, 'select count(*) from end_meter($1, $2, $3)', [meter.id, at(end), at(world.now)])
  wallet.confirm(meter, end, world.now)
  return `confirm ${meter.id} ended at ${at(end)}`
}

/** An outage of its host, made good once however often; or it stops at the end of its term from now on, or runs on. */
async function atTerm(world: World, each: Step, meter: Meter, wallet: Wallet): Promise<string> {
  const { now } = world
  const [from, to] = [now - (each.x % (2 * day)), now - (each.x % minute)]
  if (each.y % 2) {
    const extend = `extend_terms(array[$1::uuid], $2, $3, 'host_gone', $4)`
    await call(world, each, `select ${extend}, ${extend}`, [meter.id, ...[from, to, now].map(at)])
    wallet.extend(meter, from, to, now)
    return `an outage of ${meter.id} from ${at(from)} to ${at(to)}`
  }
  const stops = each.x % 3 > 0
  if (!wallet.chooseTermEnd(meter, stops, now)) return 'nothing'
  await call(world, each, 'select set_term_end($1, $2, $3)', [meter.id, stops, at(now)])
  return `${meter.id} ${stops ? 'ends with its term' : 'runs on after its term'}`
}

/** One that never ran fails for our reasons: what was paid for it goes back whole, and it is hourly from then on. */
async function failFirstStart(
  world: World,
  each: Step,
  meters: readonly Meter[],
  wallet: Wallet,
): Promise<string> {
  const meter = meters.find(m => m.kind.isLookedAt && m.isNew)
  if (!meter) return 'nothing'
  await call(world, each, 'select return_first_start($1, $2)', [meter.id, at(world.now)])
  wallet.failFirstStart(meter, world.now)
  return `the first start of ${meter.id} failed`
}
