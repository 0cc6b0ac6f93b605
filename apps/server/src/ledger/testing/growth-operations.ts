/** A month that changes, in the simulation. */
import { expect } from 'vitest'
import { newId } from '../../db/ids.ts'
import { monthly } from './drawing-model.ts'
import type { GrowingWallet } from './growth-model.ts'
import type { Meter } from './meter-model.ts'
import { at, call, pick, refusalOf, type Step, type World } from './world.ts'

/** One that never ran costs less; one that grows is there, or can't be made so large; any other grows. */
export async function changeMonth(
  world: World,
  each: Step,
  wallet: GrowingWallet,
  meters: readonly Meter[],
): Promise<string> {
  const { now } = world
  const months = meters.filter(m => m.kind.renewsMs !== null)
  if (months.length === 0) return 'nothing'
  const m = pick(months, each.x)
  if (m.isNew) {
    // Nobody changes the price of what is paid for and not there yet.
    if (m.month !== m.prepaid) return 'nothing'
    const month = (monthly(m) * BigInt(each.x % 100)) / 100n
    await call(world, each, 'select lower_month($1, $2, $3, $4)', [m.id, month, month / 720n, at(now)])
    wallet.lowerMonth(m, month, now)
    return `the month of ${m.id} is ${month}`
  }
  const growth = wallet.growing.get(m.id)
  if (growth && each.y % 3) {
    await call(world, each, 'select set_month($1, $2, $3, $4)', [
      m.id,
      growth.month,
      growth.month / 720n,
      at(now),
    ])
    wallet.setMonth(m, growth.month, now)
    return `${m.id} has grown to ${growth.month} a month`
  }
  if (growth) {
    const transfer = `(select id from ledger_transfer where idem = key_of('growth:' || $2::text))`
    await call(world, each, `select return_growth($1, ${transfer}, $3)`, [m.id, growth.key, at(now)])
    wallet.takeBackGrowth(m, growth, now)
    return `${m.id} could not grow`
  }
  await call(world, each, 'select settle_month($1, $2)', [m.id, at(now)])
  wallet.settleBefore(now)
  if (m.renewsAt === null) return `${m.id} has no month`
  const more = 1n + (monthly(m) * BigInt(each.x % 100)) / 50n
  const wish = {
    key: newId(),
    micro: 1n + (more * BigInt(each.y % 100)) / 100n,
    month: monthly(m) + more,
    at: now,
  }
  const refused = await refusalOf(
    call(world, { ...each, isCut: 1 }, `select pay_growth($1, $2, $3, 'box: grown', $4)`, [
      m.id,
      wish.key,
      wish.micro,
      at(now),
    ]),
  )
  const refusal = wallet.grow(m, wish)
  expect(refused, 'why it was refused').toBe(refusal)
  return `grow ${m.id} for ${wish.micro} to ${wish.month} a month: ${refusal ?? 'paid'}`
}
