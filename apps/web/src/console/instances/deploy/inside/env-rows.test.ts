import { describe, expect, it } from 'vitest'
import { envRow, isLines, readEnv, saidOfEnv, withPasted } from './env-rows.ts'

const shown = (rows: ReturnType<typeof withPasted>) =>
  typeof rows === 'string' ? rows : rows.map(({ name, value }) => [name, value])

describe('variables of a deploy', () => {
  it('are what is filled in; empty rows are not there', () => {
    const rows = [envRow('A', '1'), envRow(), envRow(' B ', ' two ')]
    expect(readEnv(rows)).toMatchObject({ env: { A: '1', B: ' two ' }, error: null })
  })

  it('say at the row what is wrong with it, and of all together what is too much', () => {
    const rows = [
      envRow('1A', 'x'),
      envRow('', 'x'),
      envRow('A', 'x'),
      envRow('A', 'y'),
      envRow('B', 'x'.repeat(8193)),
    ]
    const { wrong } = readEnv(rows)
    expect(rows.map(({ id }) => wrong.get(id))).toEqual([
      { name: 'Letters, digits and underscores, no digit first, at most 100.' },
      { name: 'A value needs a name.' },
      undefined,
      { name: 'A is there twice.' },
      { value: 'At most 8192 letters.' },
    ])
    const many = Array.from({ length: 101 }, (_, n) => envRow(`N${n}`, ''))
    expect(readEnv(many).error).toBe('At most 100 variables; there are 101.')
    const large = Array.from({ length: 5 }, (_, n) => envRow(`N${n}`, 'ü'.repeat(4000)))
    expect(readEnv(large).error).toBe('At most 32768 bytes together; there are 40010.')
  })

  it('are pasted as lines, also as a shell exports them, over what is there', () => {
    expect(isLines('A=1', 'name')).toBe(true)
    expect(isLines('a=1', 'value')).toBe(false)
    expect(isLines('A=1\nB=2', 'value')).toBe(true)
    const rows = [envRow('A', 'old'), envRow()]
    expect(shown(withPasted(rows, 'export A=new\n# a comment\nexport B="two\\nlines"\n'))).toEqual([
      ['A', 'new'],
      ['B', 'two\nlines'],
    ])
    expect(withPasted(rows, 'A=1\nnonsense')).toBe('Line 2 is no NAME=value')
  })

  it('show what the service says of them', () => {
    expect(saidOfEnv({ env: 'is longer than 32768 bytes', 'env.A': 'is too long', name: 'no' })).toBe(
      'All of them: is longer than 32768 bytes. A is too long.',
    )
    expect(saidOfEnv({ name: 'no' })).toBeUndefined()
  })
})
