import { createHash } from 'node:crypto'
import type { RowMakers } from '../http/test-owner.ts'

const log = Buffer.from('21:29:51 kernel: Out of memory')

export const rows: RowMakers = {
  tickets: async ({ client }) =>
    (await client.support.create({ title: 'Is my data gone?', content: 'It was stopped.' })).id,
  attachments: async ({ client }) =>
    (
      await client.support.attach(
        { name: 'kernel.log', sha256: createHash('sha256').update(log).digest('hex') },
        { body: log },
      )
    ).id,
}
