import { terminalLimits } from '@ingot/contracts/instance/terminal'
import { expect, it } from 'vitest'
import {
  beside,
  newShells,
  parseShells,
  showing,
  type Shells,
  whyNoMore,
  withNew,
  without,
} from './shells.ts'

const numbers = ({ list }: Shells) => list.map(({ number }) => number)
const shown = ({ list, shown: id }: Shells) => list.find(shell => shell.id === id)!.number

it('a new shell is shown and takes the lowest free number; closing one shows the one beside it', () => {
  const three = withNew(withNew(newShells()))
  expect([numbers(three), shown(three)]).toEqual([[1, 2, 3], 3])
  const two = without(three, three.list[1]!.id)!
  expect([numbers(two), shown(two)]).toEqual([[1, 3], 3])
  expect(numbers(withNew(two))).toEqual([1, 3, 2])
  expect(shown(without(two, two.shown)!)).toBe(1)
  const one = without(two, two.list[0]!.id)!
  expect(without(one, one.shown)).toBeNull()
})

it('keys go around the ends', () => {
  const three = withNew(withNew(newShells()))
  expect(beside(three, 1)).toBe(three.list[0]!.id)
  expect(beside(showing(three, three.list[0]!.id), -1)).toBe(three.list[2]!.id)
  expect(showing(three, 'another')).toBe(three)
})

it('there are no more than the service holds', () => {
  let shells = newShells()
  for (let more = 0; more < terminalLimits.terminals; more++) shells = withNew(shells)
  expect(shells.list).toHaveLength(terminalLimits.terminals)
  expect(whyNoMore(shells)).toBe('An instance has at most 16 shells. Close one first.')
})

it('what was kept is read again, and nonsense is nothing', () => {
  const two = withNew(newShells())
  expect(parseShells(JSON.stringify(two))).toEqual(two)
  for (const text of [null, '', '{', 'null', '[]', '{"list":[]}', '{"list":[{"id":"../x","number":1}]}'])
    expect(parseShells(text), String(text)).toBeNull()
  expect(parseShells('{"list":[{"id":"a","number":1}, 7],"shown":"b"}')).toEqual({
    list: [{ id: 'a', number: 1 }],
    shown: 'a',
  })
})
