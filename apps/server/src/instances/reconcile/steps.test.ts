import { done, failed, notYet, type Observation } from '@ingot/compute/driver'
import { instanceStatuses } from '@ingot/contracts/instances'
import { describe, expect, test } from 'vitest'
import { maxStartAttempts, outcomeOf, pickStep } from './steps.ts'

const run = { id: 'one', beganAt: 1_000, end: null }
const running: Observation = { state: 'running', publicIp: null, at: 5_000, run }

describe('what to ask for', () => {
  test.each([
    ['starting', 'running', 'start'],
    ['running', 'running', 'none'],
    ['stopping', 'stopped', 'stop'],
    ['stopping', 'running', 'stop'],
    ['stopped', 'stopped', 'stop'],
    ['stopping', 'deleted', 'destroy'],
    ['terminated', 'deleted', 'none'],
  ] as const)('%s, asked to be %s: %s', (status, desired, step) =>
    expect(pickStep({ status, desired, run_id: null })).toBe(step),
  )

  test('whatever is asked for in any status, there is a step', () => {
    for (const status of instanceStatuses)
      for (const desired of ['running', 'stopped', 'deleted'] as const)
        expect(pickStep({ status, desired, run_id: null })).toBeDefined()
  })
})

describe('what an answer means', () => {
  test('a machine that runs, runs', () =>
    expect(outcomeOf('start', done({ ...running, publicIp: '10.0.0.1' }), 0)).toEqual({
      kind: 'ran',
      publicIp: '10.0.0.1',
      run: { id: 'one', ms: 4_000 },
    }))
  test('"not yet" waits as long as the driver said, tells for what, and is no failure', () => {
    expect(outcomeOf('start', notYet(1234), 7)).toEqual({ kind: 'wait', ms: 1234, failed: false })
    const progress = { what: 'pulling_image', doneBytes: 1, totalBytes: 2 } as const
    expect(outcomeOf('start', notYet(1, progress), 0)).toMatchObject({ progress })
  })
  test('no capacity, a refusal and a lost disk end a start at once, in the driver’s words', () => {
    for (const failure of ['no_capacity', 'rejected', 'denied', 'lost'] as const) {
      expect(outcomeOf('start', failed(failure, 'why'), 0)).toEqual({
        kind: 'start_failed',
        failure,
        message: 'why',
      })
    }
  })
  test('a passing failure is tried again with growing pauses, a start not for ever, a stop and a destroy always', () => {
    const pause = (attempts: number) => outcomeOf('start', failed('transient', 'why'), attempts)
    expect(pause(0)).toEqual({ kind: 'wait', ms: 500, failed: true, message: 'why' })
    expect(pause(2)).toEqual({ kind: 'wait', ms: 2000, failed: true, message: 'why' })
    expect(pause(maxStartAttempts - 1)).toEqual({
      kind: 'start_failed',
      failure: 'transient',
      message: 'why',
    })
    for (const step of ['stop', 'destroy'] as const)
      expect(outcomeOf(step, failed('transient', 'why'), 50)).toEqual({
        kind: 'wait',
        ms: 30_000,
        failed: true,
        message: 'why',
      })
  })
  test('a machine that is gone is lost while it should run or stop, and destroyed when it should be', () => {
    const gone = { state: 'gone', publicIp: null, at: 9_000, run: null } as const
    const lost = { kind: 'ended', reason: 'lost', ran: null }
    expect(outcomeOf('observe', done(gone), 0, 'one')).toMatchObject(lost)
    expect(outcomeOf('observe', done({ ...gone, state: 'stopped' }), 0)).toMatchObject(lost)
    expect(outcomeOf('stop', failed('lost', 'why'), 0)).toMatchObject(lost)
    expect(outcomeOf('destroy', failed('lost', 'why'), 0)).toEqual({ kind: 'destroyed' })
    expect(outcomeOf('observe', done(running), 0, 'one')).toEqual({
      kind: 'seen',
      run: { id: 'one', ms: 4_000 },
    })
  })
  test('another run than the metered one is a loss of ours, and is to be stopped', () =>
    expect(outcomeOf('observe', done(running), 0, 'other')).toMatchObject({
      kind: 'ended',
      reason: 'lost',
      ran: null,
      isReplaced: true,
    }))
  test.each([
    ['inside', 'ended'],
    ['host', 'lost'],
    ['asked', 'lost'],
  ] as const)('a run that ended by %s: %s, after the time that it lasted', (cause, reason) => {
    const ended = (at: number | null) =>
      done({ ...running, state: 'stopped' as const, run: { ...run, end: { at, cause } } })
    expect(outcomeOf('observe', ended(3_500), 0, 'one')).toMatchObject({
      kind: 'ended',
      reason,
      ran: { from: 1_000, to: 3_500 },
    })
    expect(outcomeOf('observe', ended(null), 0, 'one')).toMatchObject({ kind: 'ended', reason, ran: null })
  })
  test('a run whose end was asked for is looked at once more before it is ended', () => {
    for (const desired of ['running', 'stopped', 'deleted'] as const)
      expect(pickStep({ status: 'stopping', desired, run_id: 'one' })).toBe('observe')
  })
})
