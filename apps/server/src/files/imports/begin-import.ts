import { IngotError } from '@ingot/contracts/errors'
import { type FileImport, maxImportUrl, maxTransfers } from '@ingot/contracts/files'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Vault } from '../../vault.ts'
import { ask } from '../ask.ts'
import { type Holder, type HolderNeeds, openFiles } from '../holder.ts'
import { readTarget } from '../upload-rows.ts'
import type { TellNeeds } from '../tell-file.ts'
import { assertFree } from '../uploads.ts'
import { getImport, underWay, urlContext } from './import-rows.ts'
import { readUrl, shownUrl } from './read-url.ts'

export interface BeginImportNeeds extends HolderNeeds, TellNeeds {
  readonly vault: Vault
}

export async function beginImport(
  db: Db,
  needs: BeginImportNeeds,
  userId: string,
  holder: Holder,
  { url: text, path, replace }: { url: string; path: string; replace: boolean },
): Promise<FileImport> {
  const read = readUrl(text)
  if ('why' in read) throw new IngotError('validation_failed', { fields: { url: read.why } })
  const { url } = read
  // Letters of other scripts grow in an address.
  if (url.href.length > maxImportUrl)
    throw new IngotError('validation_failed', {
      fields: { url: `may have at most ${maxImportUrl} characters` },
    })
  const { folder } = readTarget(path)
  const files = await openFiles(db, needs, userId, holder, 'change')
  await assertFree(files, path, replace)
  await ask(() => files.list(folder, { limit: 1 }))
  const id = newId()
  const { rows } = await sql`
    insert into file_import (id, user_id, instance_id, volume_id, path, replaces, url_sealed, url, due_at)
    select ${id}, ${userId}, ${holder.instance_id}, ${holder.volume_id}, ${path}, ${replace},
      ${needs.vault.seal(url.href, urlContext(id))}, ${shownUrl(url)}, now()
    where (select count(*) from file_import
      where user_id = ${userId} and state = any(${underWay}::text[])) < ${maxTransfers}
    returning 1`.execute(db)
  if (rows.length === 0)
    throw new IngotError('rate_limited', {
      message: `At most ${maxTransfers} imports at a time. Wait for one, or cancel it`,
    })
  needs.signals.send('file_import')
  return getImport(db, userId, id)
}
