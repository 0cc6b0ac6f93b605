import { describe, expect, test } from 'vitest'
import { isTimeZone, nextTime } from './next-time.ts'

const everyDay = [1, 2, 3, 4, 5, 6, 7]
const next = (time: string, time_zone: string, after: string, weekdays: readonly number[] = everyDay) =>
  nextTime({ time, weekdays, time_zone }, Date.parse(after))

describe('the next time', () => {
  test.each([
    [
      'today, when it is still to come',
      '08:00',
      'UTC',
      '2026-11-23T07:59:59.999Z',
      '2026-11-23T08:00:00.000Z',
    ],
    [
      'tomorrow, from the very moment on',
      '08:00',
      'UTC',
      '2026-11-23T08:00:00.000Z',
      '2026-11-24T08:00:00.000Z',
    ],
    ['in winter', '08:00', 'Europe/Berlin', '2026-01-10T00:00:00.000Z', '2026-01-10T07:00:00.000Z'],
    ['in summer', '08:00', 'Europe/Berlin', '2026-07-10T00:00:00.000Z', '2026-07-10T06:00:00.000Z'],
    [
      'before midnight here, after it there',
      '23:30',
      'America/Los_Angeles',
      '2026-11-23T00:00:00.000Z',
      '2026-11-23T07:30:00.000Z',
    ],
    [
      'where a zone is half an hour off',
      '09:00',
      'Asia/Kolkata',
      '2026-11-23T00:00:00.000Z',
      '2026-11-23T03:30:00.000Z',
    ],
    [
      'over the change to summer, an hour earlier',
      '08:00',
      'Europe/Berlin',
      '2026-03-28T12:00:00.000Z',
      '2026-03-29T06:00:00.000Z',
    ],
    [
      'at 02:30 that does not exist, at 03:30',
      '02:30',
      'Europe/Berlin',
      '2026-03-29T00:00:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'the day after it did not exist, at 02:30',
      '02:30',
      'Europe/Berlin',
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ],
    [
      'at 02:30 that comes twice, the first time',
      '02:30',
      'Europe/Berlin',
      '2026-10-24T12:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'between the two, the next day',
      '02:30',
      'Europe/Berlin',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ],
    [
      'at midnight that does not exist, at one',
      '00:00',
      'America/Santiago',
      '2026-09-06T03:00:00.000Z',
      '2026-09-06T04:00:00.000Z',
    ],
    [
      'on a day that does not exist, a day later',
      '08:00',
      'Pacific/Apia',
      '2011-12-30T09:59:00.000Z',
      '2011-12-30T18:00:00.000Z',
    ],
  ])('%s', (_, time, zone, after, wanted) => expect(next(time, zone, after)).toBe(wanted))

  test('weekdays are those of the place', () => {
    // Sunday evening in New York, Monday in UTC.
    expect(next('21:00', 'America/New_York', '2026-11-22T12:00:00.000Z', [7])).toBe(
      '2026-11-23T02:00:00.000Z',
    )
    expect(next('21:00', 'America/New_York', '2026-11-23T02:00:00.000Z', [7])).toBe(
      '2026-11-30T02:00:00.000Z',
    )
    expect(next('08:00', 'UTC', '2026-11-20T08:00:00.000Z', [1, 2, 3, 4, 5])).toBe('2026-11-23T08:00:00.000Z')
  })

  test('a year of times comes once a day, in order, in every zone that changes its clocks', () => {
    for (const zone of [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Santiago',
      'UTC',
    ]) {
      let at = Date.parse('2026-01-01T00:00:00.000Z')
      const end = Date.parse('2027-01-01T00:00:00.000Z')
      let times = 0
      while (at < end) {
        const following = Date.parse(nextTime({ time: '02:15', weekdays: everyDay, time_zone: zone }, at)!)
        const hours = (following - at) / 3_600_000
        expect(hours).toBeGreaterThan(0)
        if (times > 0) expect(hours).toBeGreaterThanOrEqual(22)
        expect(hours).toBeLessThanOrEqual(26)
        at = following
        times++
      }
      expect(times).toBeGreaterThanOrEqual(365)
      expect(times).toBeLessThanOrEqual(366)
    }
  })

  test('names of time zones', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
      expect(isTimeZone(name)).toBe(true)
    for (const name of ['', 'Mars/Olympus', 'Europe/Berlin ', 'x'.repeat(64)])
      expect(isTimeZone(name)).toBe(false)
    expect(nextTime({ time: '08:00', weekdays: everyDay, time_zone: 'Mars/Olympus' }, 0)).toBeNull()
  })
})
