/**
 * What every driver must keep, as one suite. `describeDriver` makes drivers on folders of their own, destroys whatever
 * they hold after a test, and judges only what the contract in `driver.ts` says: a driver that passes can stand
 * behind the control plane without the control plane knowing which one it is.
 *
 * A driver on a virtual clock passes `advance`; for all others the suite waits as long as "not yet" asks. Only drivers
 * that declare a real shell are tested for what such a shell alone can show (its size, an unread flood); none may leave
 * out a part as a whole.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { describeConnect } from './conformance/connect.ts'
import { describeExec } from './conformance/exec.ts'
import { describeFiles } from './conformance/files.ts'
import { describeLogs } from './conformance/logs.ts'
import { describeMachines } from './conformance/machines.ts'
import { describeStats } from './conformance/stats.ts'
import { type ConformanceOptions, createSubject, type MakeDriver } from './conformance/subject.ts'
import { type Found, holdToTable } from './conformance/table.ts'
import { describeTerminals } from './conformance/terminals.ts'
import { describeWork } from './conformance/work.ts'

export function describeDriver(name: string, makeDriver: MakeDriver, options: ConformanceOptions = {}): void {
  const subject = createSubject(makeDriver, options)
  const title = `${name} keeps the driver contract`
  const suite = options.skip ? describe.skip : describe

  const timeout = subject.patienceMs * 4
  let found: Found | null = null

  suite(options.skip ? `${title} (${options.skip})` : title, { timeout }, () => {
    describe('with no machine at first:', () => {
      beforeAll(() => subject.open(), timeout)
      afterEach(() => subject.clear(), timeout)
      afterAll(() => subject.discard(), timeout)
      describeMachines(subject)
      describeTerminals(subject)
      describeWork(subject)
    })
    describe('one machine for many tests:', () => {
      beforeAll(async () => {
        await subject.open()
        const { name: column, capabilities } = subject.driver()
        found = { column, measures: capabilities.measures }
      }, timeout)
      afterAll(() => subject.discard(), timeout)
      describeExec(subject)
      describeConnect(subject)
      describeLogs(subject)
      describeStats(subject)
      describeFiles(subject)
    })
    afterAll(({}, itself) => {
      if (found && itself.type === 'suite') holdToTable(itself, found)
    })
  })
}
