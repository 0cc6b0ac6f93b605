import { expect, it } from 'vitest'
import { fromShell } from '../../shell/call-text.ts'
import { noSecrets, secretsInput, shownSecrets } from './given-secrets.ts'

it('sends what was entered, and shows none of it in a command', () => {
  const given = { secrets: { A: 'the value', B: '' }, username: 'anna', password: 'correct horse' }
  expect(secretsInput(given)).toEqual({
    secrets: { A: 'the value' },
    registry_credentials: { username: 'anna', password: 'correct horse' },
  })
  expect(JSON.stringify(shownSecrets(given))).not.toMatch(/the value|correct horse/)
  expect(shownSecrets(given).secrets).toEqual({ A: fromShell('A') })
  expect(secretsInput(noSecrets)).toEqual({})
  expect(secretsInput({ ...given, secrets: {}, password: '' })).toEqual({})
})
