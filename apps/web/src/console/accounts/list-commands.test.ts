import { expect, it } from 'vitest'
import { listCommands } from './list-commands.ts'

it('names the variable until the key is shown', () => {
  const [curl, script] = listCommands('https://cloud.example', null)
  expect(curl.text).toBe(
    'curl https://cloud.example/v1/instances \\\n  -H "Authorization: Bearer $INGOT_API_KEY"',
  )
  expect(script.text).toContain('process.env.INGOT_API_KEY')
  const shown = listCommands('https://cloud.example', 'ingot_x')
  expect(shown[0].text).toContain('Bearer ingot_x"')
  expect(shown[1].text).toContain('token: () => "ingot_x"')
})
