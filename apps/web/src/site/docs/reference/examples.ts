/** One operation as a request in each tool. What they send is checked against the contract (examples.test.ts). */
import type { CodeTab } from '../../prose/CodeBlock.tsx'
import type { Entry } from './reference.ts'

/** The JavaScript import that every example needs, and a client. */
const sdkSetup = `import { createClient } from '@ingot/sdk/client'

const ingot = createClient({
  baseUrl: process.env.INGOT_URL,
  token: () => process.env.INGOT_API_KEY,
})`

export function examplesOf(entry: Entry): CodeTab[] {
  return [
    { tab: 'curl', language: 'bash', code: curl(entry) },
    { tab: 'JavaScript', language: 'javascript', code: javascript(entry) },
    { tab: 'Python', language: 'python', code: python(entry) },
    { tab: 'CLI', language: 'bash', code: '# Planned: there is no command-line program yet. Use curl.' },
  ]
}

const bearer: Readonly<Record<Entry['caller'], string | null>> = {
  nobody: null,
  key: 'INGOT_API_KEY',
  session: 'INGOT_ACCESS_TOKEN',
}

function split({ path, method, sampleInput, takesBytes }: Entry) {
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => String(sampleInput[key]))
  const rest = Object.entries(sampleInput).filter(([key]) => !path.includes(`{${key}}`))
  const inQuery = method === 'GET' || method === 'DELETE' || takesBytes
  const query = inQuery && rest.length ? `?${new URLSearchParams(rest as [string, string][])}` : ''
  return { address: filled + query, body: inQuery || !rest.length ? null : Object.fromEntries(rest) }
}

export function curl(entry: Entry): string {
  const { address, body } = split(entry)
  const token = bearer[entry.caller]
  return [
    `curl${entry.method === 'GET' || (entry.method === 'POST' && body) ? '' : ` -X ${entry.method}`} "$INGOT_URL${address}"`,
    ...(token ? [`  -H "Authorization: Bearer $${token}"`] : []),
    ...(entry.takesBytes
      ? ['  --data-binary @piece.bin']
      : body || (entry.method !== 'GET' && entry.method !== 'DELETE')
        ? [`  -H "Content-Type: application/json"`, `  -d '${body ? JSON.stringify(body, null, 2) : '{}'}'`]
        : []),
  ].join(' \\\n')
}

function javascript({ sdk, sampleInput, caller, mediaTypes, takesBytes }: Entry): string {
  const said = Object.keys(sampleInput).length ? literal(sampleInput) : ''
  const input = takesBytes ? `${said}, { body: new Uint8Array(await readFile('piece.bin')) }` : said
  const setup = caller === 'session' ? sdkSetup.replace('INGOT_API_KEY', 'INGOT_ACCESS_TOKEN') : sdkSetup
  const shown = mediaTypes ? 'await answer.text()' : 'answer'
  const reading = takesBytes ? "import { readFile } from 'node:fs/promises'\n" : ''
  return `${reading}${setup}\n\nconst answer = await ingot.${sdk}(${input})\nconsole.log(${shown})`
}

const literal = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replaceAll('"', "'")

function python(entry: Entry): string {
  const { address, body } = split(entry)
  const token = bearer[entry.caller]
  return [
    'import os, requests',
    '',
    `answer = requests.${entry.method.toLowerCase()}(`,
    `    os.environ["INGOT_URL"] + "${address}",`,
    ...(token ? [`    headers={"Authorization": "Bearer " + os.environ["${token}"]},`] : []),
    ...(entry.takesBytes ? ['    data=open("piece.bin", "rb"),'] : []),
    ...(body ? [`    json=${pythonLiteral(body)},`] : entry.method === 'POST' ? ['    json={},'] : []),
    ')',
    'answer.raise_for_status()',
    entry.mediaTypes ? 'print(answer.text)' : 'print(answer.json())',
  ].join('\n')
}

const pythonLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 4)
    .replace(/: true/g, ': True')
    .replace(/: false/g, ': False')
    .replace(/: null/g, ': None')
    .replace(/\n/g, '\n    ')
