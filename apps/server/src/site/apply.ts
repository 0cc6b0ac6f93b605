/** An application for a job, with the CV that was sent before. While the job is sample content, nobody's data is collected for it. */
import type { site } from '@ingot/contracts/site'
import type { Parsed } from '@ingot/contracts/operation'
import type { SiteFile } from '@ingot/contracts/site/content'
import type { Tx } from '../db/database.ts'
import { keepInquiry, type KeepInquiryNeeds } from './keep-inquiry.ts'
import { assertCollected, takeCv } from './send-cv.ts'

export async function apply(
  tx: Tx,
  needs: KeepInquiryNeeds & { readonly siteFile: SiteFile },
  input: Parsed<typeof site.apply>,
): Promise<void> {
  const title = assertCollected(needs.siteFile, input.job_id)
  await keepInquiry(tx, needs, {
    kind: 'application',
    name: input.name,
    email: input.email,
    company: '',
    subject: title,
    message: input.letter,
    file: await takeCv(tx, needs, input.cv),
  })
}
