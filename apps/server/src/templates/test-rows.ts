import type { templates } from '@ingot/contracts/templates'
import type { Input } from '@ingot/contracts/operation'
import type { RowMakers } from '../http/test-owner.ts'

export const ownTemplate = (
  changes: Partial<Input<typeof templates.create>> = {},
): Input<typeof templates.create> => ({
  name: 'Mine',
  category: 'LLM',
  docker_image: 'registry.example.com/mine:1',
  ...changes,
})

export const rows: RowMakers = {
  templates: async ({ client }) =>
    (
      await client.templates.create(
        ownTemplate({
          secrets: { TOKEN: 'a secret' },
          registry_credentials: { username: 'a', password: 'b' },
        }),
      )
    ).id,
}
