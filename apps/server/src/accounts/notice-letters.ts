/** What stands around the words of every notice: what to do, and how to switch it off. */
import type { Letter } from '../worker/mail.ts'
import type { NoticeMail, NoticeText } from '../worker/notice.ts'

export const noticeLetter = (
  to: string,
  siteUrl: string,
  { subject, text, todo, path, switches }: NoticeMail,
): Letter => ({
  to,
  subject,
  text: `${text}

${todo}:

${siteUrl}${path}

Account: ${to} at ${new URL(siteUrl).host}

You get this mail because ${switches} on. To change that:

${siteUrl}/console/settings#notifications

Ingot
`,
})

export const noticeText = (siteUrl: string, { text, todo, path }: NoticeText): string =>
  `Ingot: ${text} ${todo}: ${siteUrl}${path} (texts are switched off in Settings, Notifications)`
