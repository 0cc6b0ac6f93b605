/**
 * What every driver must keep, as one suite. `describeDriver` makes a driver on a folder of its own for each test,
 * destroys whatever it still holds afterwards, and judges only what the contract in `driver.ts` says: a driver that
 * passes can stand behind the control plane without the control plane knowing which one it is.
 *
 * A driver on a virtual clock passes `advance`; for all others the suite waits as long as "not yet" asks. Only drivers
 * that declare a real shell are tested for what such a shell alone can show (its size, an unread flood).
 */
import { afterEach, beforeEach, describe } from 'vitest'
import { describeMachines } from './conformance/machines.ts'
import { describeWork } from './conformance/work.ts'
import { type ConformanceOptions, createSubject, type MakeDriver } from './conformance/subject.ts'
import { describeTerminals } from './conformance/terminals.ts'

export function describeDriver(name: string, makeDriver: MakeDriver, options: ConformanceOptions = {}): void {
  const subject = createSubject(makeDriver, options)
  const title = `${name} keeps the driver contract`
  const suite = options.skip ? describe.skip : describe

  const timeout = subject.patienceMs * 4

  suite(options.skip ? `${title} (${options.skip})` : title, { timeout }, () => {
    beforeEach(() => subject.open(), timeout)
    afterEach(() => subject.discard(), timeout)
    describeMachines(subject)
    describeTerminals(subject)
    describeWork(subject)
  })
}
