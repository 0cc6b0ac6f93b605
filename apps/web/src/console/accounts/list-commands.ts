import type { Command } from '../../ui/CommandBlock.tsx'

/** The smallest thing a key can do. The key stands in it while it is shown, else the variable that should hold it. */
export const listCommands = (origin: string, key: string | null): readonly [Command, Command] => [
  {
    tool: 'HTTP',
    text: `curl ${origin}/v1/instances \\\n  -H "Authorization: Bearer ${key ?? '$INGOT_API_KEY'}"`,
  },
  {
    tool: 'JavaScript',
    text: [
      `import { createClient } from '@ingot/sdk/client'`,
      '',
      `const client = createClient({`,
      `  baseUrl: ${JSON.stringify(origin)},`,
      `  token: () => ${key === null ? 'process.env.INGOT_API_KEY' : JSON.stringify(key)},`,
      `})`,
      `const { items } = await client.instances.list()`,
    ].join('\n'),
  },
]
