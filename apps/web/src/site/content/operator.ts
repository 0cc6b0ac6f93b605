/**
 * What only the operator of an installation knows: where people reach it and who stands behind it. Null means that
 * there is none, and then no page shows a button for it. Change it here and build again.
 */
interface Operator {
  /** The company that customers contract with; null: pages say "the operator of this site". */
  readonly legalName: string | null
  readonly postalAddress: string | null
  readonly email: Record<'sales' | 'support' | 'general' | 'privacy' | 'security', string | null>
  readonly liveChatUrl: string | null
  readonly scheduleCallUrl: string | null
  readonly supportCentreUrl: string | null
  /** External places where users meet; each opens in a new tab. */
  readonly community: Record<'chat' | 'forum' | 'code', string | null>
}

export const operator: Operator = {
  legalName: null,
  postalAddress: null,
  email: { sales: null, support: null, general: null, privacy: null, security: null },
  liveChatUrl: null,
  scheduleCallUrl: null,
  supportCentreUrl: null,
  community: { chat: null, forum: null, code: null },
}

/** How a sentence names who runs this site. */
export const operatorName = operator.legalName ?? 'the operator of this site'
