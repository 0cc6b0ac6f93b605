import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { fromShell } from '../shell/call-text.ts'
import { commandsFor } from './command-text.ts'
import { deployCommands, firstDeploy } from './deploy/deploy-command.ts'

const origin = 'https://ingot.example'

/** What a shell makes of the command, as arguments of `curl`. */
const args = (text: string): string[] =>
  JSON.parse(
    execFileSync(
      'sh',
      ['-c', text.replace(/^curl /, `"$NODE" -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- `)],
      {
        encoding: 'utf8',
        env: { NODE: process.execPath, INGOT_API_KEY: 'the-key' },
      },
    ),
  ) as string[]

test('a deploy pasted into a shell sends exactly the form, whatever the name', () => {
  const name = `it's "$HOME" \`id\` \\ & more`
  const [curl] = deployCommands(origin, { ...firstDeploy, name, start: false })
  const [flag, method, url, , key, , type, , body] = args(curl.text)
  expect([flag, method, url]).toEqual(['-X', 'POST', `${origin}/v1/instances`])
  expect([key, type]).toEqual(['Authorization: Bearer the-key', 'Content-Type: application/json'])
  expect(JSON.parse(body!)).toEqual({ ...firstDeploy, name, start: false })
})

test('filters of a list stand in the address, quoted where a shell would read them', () => {
  const [curl] = commandsFor(origin, 'list', { search: 'a&b', status: 'running', cursor: undefined })
  expect(args(curl.text)[0]).toBe(`${origin}/v1/instances?search=a%26b&status=running`)
  expect(commandsFor(origin, 'list', {})[0].text).toMatch(/^curl https:\/\/ingot\.example\/v1\/instances \\/)
})

test('what stands in the path is not sent twice', () => {
  const [curl, script] = commandsFor(origin, 'get', { id: 'abc' })
  expect(args(curl.text)).toEqual([`${origin}/v1/instances/abc`, '-H', 'Authorization: Bearer the-key'])
  expect(script.text).toContain('client.instances.get({\n  id: "abc",\n})')
})

test('a secret is a variable of whoever runs the command, which the shell fills in', () => {
  const secrets = { TOKEN: fromShell('INGOT_API_KEY') }
  const [curl, script] = deployCommands(origin, { ...firstDeploy, secrets })
  expect(JSON.parse(args(curl.text).at(-1)!)).toMatchObject({ secrets: { TOKEN: 'the-key' } })
  expect(script.text).toContain('secrets: {"TOKEN":process.env.INGOT_API_KEY}')
})

test('the key itself is never in the text', () => {
  for (const { text } of deployCommands(origin, firstDeploy)) expect(text).toContain('INGOT_API_KEY')
})
