/** What authors are told of the templates that they proposed. */
import type { NoticeItem, NoticeKind } from '../worker/notice.ts'

interface ReviewItem extends NoticeItem {
  readonly name: string
  readonly status: 'approved' | 'rejected'
  readonly was_public: boolean
  readonly reason: string | null
}

const outcome = ({ status, was_public }: ReviewItem) =>
  status === 'approved' ? 'is public' : was_public ? 'is not public any more' : 'was not made public'

const reviewed: NoticeKind<ReviewItem> = {
  wantsMail: settings => settings.email_notifications,
  mail: items => ({
    subject:
      items.length === 1
        ? `Your template "${items[0]!.name}" ${outcome(items[0]!)}`
        : `${items.length} of your templates were reviewed`,
    text: items
      .map(item => `"${item.name}" ${outcome(item)}${item.reason === null ? '.' : `: ${item.reason}`}`)
      .join('\n'),
    todo: 'See your templates',
    path: '/console/templates',
    switches: '"Email notifications" is',
  }),
}

export const templateNotices = { template_reviewed: reviewed }
