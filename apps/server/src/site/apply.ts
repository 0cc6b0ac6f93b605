/** An application for a job, with its CV. While the job is sample content, nobody's data is collected for it. */
import { IngotError } from '@ingot/contracts/errors'
import { type Job, jobs, sampleJobRefusal, type site } from '@ingot/contracts/site'
import type { Parsed } from '@ingot/contracts/operation'
import type { Tx } from '../db/database.ts'
import { readCv } from './cv.ts'
import { keepInquiry, type KeepInquiryNeeds } from './keep-inquiry.ts'

export async function apply(
  tx: Tx,
  needs: KeepInquiryNeeds,
  input: Parsed<typeof site.apply>,
): Promise<void> {
  const job: Job = jobs[input.job_id]
  if (job.sample) throw new IngotError('invalid_state', { message: sampleJobRefusal })
  await keepInquiry(tx, needs, {
    kind: 'application',
    name: input.name,
    email: input.email,
    company: '',
    subject: job.title,
    message: input.letter,
    file: readCv(input.cv_name, input.cv_base64),
  })
}
