/**
 * What visitors of the public site send, what administrators do with it, and how the service is doing. Slugs of planned
 * products, documents and jobs are data here, so the pages and the server agree on them.
 */
import * as z from 'zod/mini'
import { maxEmailLength } from './accounts.ts'
import { id, nothing, operation, page, paging, timestamp } from './operation.ts'

export const inquiryTypes = ['sales', 'support', 'partnership', 'general', 'enterprise'] as const
export type InquiryType = (typeof inquiryTypes)[number]

/** Shown and described, not built: their buttons join a waiting list. */
export const plannedProducts = {
  'serverless-functions': 'Serverless Functions',
  'cloud-storage': 'Cloud Storage',
  'model-registry': 'Model Registry',
  'preemptible-instances': 'Preemptible Instances',
  'edge-computing': 'Edge Computing',
} as const
export type PlannedProduct = keyof typeof plannedProducts

/** What can be asked for on the compliance page; an administrator answers each request. */
export const documents = {
  'soc-2-report': 'SOC 2 report',
  'iso-27001-certificate': 'ISO 27001 certificate',
  'data-processing-agreement': 'Data processing agreement',
  'security-whitepaper': 'Security whitepaper',
  'penetration-test-summary': 'Penetration test summary',
  'subprocessor-list': 'Subprocessor list',
} as const
export type DocumentSlug = keyof typeof documents

/**
 * Open positions that come with the product as samples, by their ids: applications for them are not collected. Real
 * ones stand in the operator's file (site/content.ts).
 */
export const sampleJobs = {
  'senior-ai-engineer': 'Senior AI Engineer',
  'devops-engineer': 'DevOps Engineer',
} as const

const keysOf = <T extends object>(data: T) => Object.keys(data) as [keyof T & string, ...(keyof T & string)[]]

export const siteLimits = {
  name: 120,
  email: maxEmailLength,
  message: 5000,
  /** Bytes of a CV. */
  cv: 5 * 1024 * 1024,
} as const
/** How long a CV is kept that nobody applies with. */
export const cvMinutes = 60
/** The only kinds of file taken as a CV. The bytes decide the kind, not the name. */
export const cvTypes = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  txt: 'text/plain',
} as const
export const cvTooLarge = 'The file is larger than 5 MB'
export const cvNotWhole = 'The file did not arrive whole. Send it again'
export const cvTooLate = 'The file waited too long for the rest. Send it again'
export const cvWrongType = 'Send a PDF, DOCX, ODT or text file'
export const sampleJobRefusal = 'Applications are not collected while this job is sample content'

/** Pages that the links in mails lead to; each carries `?token=…`, which the page posts on a click. */
export const subscribePath = '/subscribe'
export const unsubscribePath = '/unsubscribe'

/** One line, not blank, no control characters. */
const line = z.string().check(z.maxLength(siteLimits.name), z.regex(/^(?!\s*$)\P{Cc}*$/u))
/** May be empty. */
const optionalLine = z.optional(z.string().check(z.maxLength(siteLimits.name), z.regex(/^\P{Cc}*$/u)))
/** Several lines, not blank. */
const text = z.string().check(z.maxLength(siteLimits.message), z.regex(/^(?!\s*$)[\P{Cc}\s]*$/u))
const email = z.email().check(z.maxLength(siteLimits.email))
/** As it stands in the address of its page. */
const jobId = z.string().check(z.maxLength(60), z.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/))
const token = z.string().check(z.minLength(1), z.maxLength(100))
/** No person sees this field. Whoever fills it in is answered as if all was well, and nothing is stored. */
const trap = z.optional(z.string().check(z.maxLength(1000)))

export const inquiryKinds = ['contact', 'application', 'document'] as const
export type InquiryKind = (typeof inquiryKinds)[number]
export const inquiryStatuses = ['open', 'answered', 'closed'] as const
export type InquiryStatus = (typeof inquiryStatuses)[number]

export const inquiry = z.object({
  id,
  kind: z.enum(inquiryKinds),
  status: z.enum(inquiryStatuses),
  name: z.string(),
  email: z.string(),
  company: z.string(),
  /** A contact's type, an application's job, a request's document; in words that a person reads. */
  subject: z.string(),
  /** Empty for a document request. */
  message: z.string(),
  file: z.nullable(z.object({ name: z.string(), type: z.string(), bytes: z.int() })),
  /** Oldest first. */
  answers: z.array(z.object({ text: z.string(), at: timestamp })),
  created_at: timestamp,
  closed_at: z.nullable(timestamp),
})
export type Inquiry = z.infer<typeof inquiry>

export const systemStates = ['operational', 'degraded', 'down'] as const
export type SystemState = (typeof systemStates)[number]
export const statusDays = 90

export const systemStatus = z.object({
  state: z.enum(systemStates),
  /** When the checks were last made. */
  checked_at: timestamp,
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
  /** The share of the measured minutes in which every check passed: `"99.98"`. Null before the first. */
  uptime_percent: z.nullable(z.string()),
  /** The last 90 days in UTC, oldest first, today last. A day without a measurement has 0 of 0 minutes. */
  days: z.array(z.object({ day: z.string(), ok_minutes: z.int(), measured_minutes: z.int() })),
})
export type SystemStatus = z.infer<typeof systemStatus>

export const site = {
  inquire: operation({
    id: 'sendInquiry',
    method: 'POST',
    path: '/v1/inquiries',
    who: 'public',
    summary: 'Write to the people behind the service',
    input: z.object({
      first_name: line,
      last_name: line,
      email,
      company: optionalLine,
      type: z.enum(inquiryTypes),
      message: text,
      trap,
    }),
    output: nothing,
    status: 201,
    errors: [],
  }),
  subscribe: operation({
    id: 'subscribe',
    method: 'POST',
    path: '/v1/subscriptions',
    who: 'public',
    summary: 'Ask for new blog posts by mail; nothing is sent until the link in the first mail was opened',
    input: z.object({ email, trap }),
    output: nothing,
    status: 201,
    errors: [],
  }),
  confirmSubscription: operation({
    id: 'confirmSubscription',
    method: 'POST',
    path: '/v1/subscriptions/confirm',
    who: 'public',
    summary: 'Confirm a subscription with the token of the mail',
    input: z.object({ token }),
    output: z.object({ email: z.string() }),
    status: 200,
    errors: ['not_found'],
  }),
  unsubscribe: operation({
    id: 'unsubscribe',
    method: 'POST',
    path: '/v1/subscriptions/end',
    who: 'public',
    duringMaintenance: true,
    summary: 'End a subscription with the token of a mail; the address is erased',
    input: z.object({ token }),
    output: nothing,
    status: 200,
    errors: ['not_found'],
  }),
  joinWaitlist: operation({
    id: 'joinWaitlist',
    method: 'POST',
    path: '/v1/waitlist',
    who: 'public',
    summary: 'Hear when a planned product is there',
    input: z.object({ email, product: z.enum(keysOf(plannedProducts)), trap }),
    output: nothing,
    status: 201,
    errors: [],
  }),
  sendCv: operation({
    id: 'sendCv',
    method: 'POST',
    path: '/v1/applications/cv',
    who: 'public',
    summary:
      'Send the CV of an application that follows within the hour: PDF, DOCX, ODT or text, at most 5 MB',
    transport: 'upload',
    /** A file of somewhat more than 5 MB is refused at its field. */
    bodyLimit: 8 * 1024 * 1024,
    input: z.object({
      job_id: jobId,
      cv_name: z.string().check(z.maxLength(200), z.regex(/^(?!\s*$)[^\p{Cc}/\\]*$/u)),
      /** Of the file: what arrives otherwise is refused. */
      sha256: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
    }),
    output: z.object({
      /** What the application names it by, once. */
      ticket: z.string(),
      expires_at: timestamp,
    }),
    status: 201,
    errors: ['invalid_state', 'body_too_large'],
  }),
  apply: operation({
    id: 'apply',
    method: 'POST',
    path: '/v1/applications',
    who: 'public',
    summary: 'Apply for a job with a letter and the CV that was sent before',
    input: z.object({
      job_id: jobId,
      name: line,
      email,
      letter: text,
      /** The ticket of the CV. */
      cv: token,
      trap,
    }),
    output: nothing,
    status: 201,
    errors: ['invalid_state'],
  }),
  requestDocument: operation({
    id: 'requestDocument',
    method: 'POST',
    path: '/v1/document-requests',
    who: 'public',
    summary: 'Ask for a document about security or compliance',
    input: z.object({ document: z.enum(keysOf(documents)), name: line, email, company: line, trap }),
    output: nothing,
    status: 201,
    errors: [],
  }),
  status: operation({
    id: 'getStatus',
    method: 'GET',
    path: '/v1/status',
    who: 'public',
    actable: true,
    summary: 'Whether the service works, by its own checks, and how the last 90 days were',
    input: nothing,
    output: systemStatus,
    status: 200,
    errors: [],
  }),
  inquiries: operation({
    id: 'listInquiries',
    method: 'GET',
    path: '/v1/admin/inquiries',
    who: 'admin',
    summary: 'Contacts, applications and document requests, newest first',
    input: z.object({
      ...paging,
      status: z.optional(z.enum(inquiryStatuses)),
      kind: z.optional(z.enum(inquiryKinds)),
    }),
    output: page(inquiry),
    status: 200,
    errors: [],
  }),
  answerInquiry: operation({
    id: 'answerInquiry',
    method: 'POST',
    path: '/v1/admin/inquiries/{id}/answer',
    who: 'admin',
    summary: 'Mail an answer to whoever wrote',
    input: z.object({ id, text }),
    output: inquiry,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  closeInquiry: operation({
    id: 'closeInquiry',
    method: 'POST',
    path: '/v1/admin/inquiries/{id}/close',
    who: 'admin',
    summary: 'Nothing more is to be done about it',
    input: z.object({ id }),
    output: inquiry,
    status: 200,
    errors: ['not_found'],
  }),
  inquiryFile: operation({
    id: 'getInquiryFile',
    method: 'GET',
    path: '/v1/admin/inquiries/{id}/file',
    who: 'admin',
    summary: 'The CV that came with an application',
    input: z.object({ id }),
    output: z.object({ name: z.string(), type: z.string(), base64: z.string() }),
    status: 200,
    errors: ['not_found'],
  }),
}
