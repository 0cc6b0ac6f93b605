/** Words as the index has them, and what people call the same thing. */

/** In nearly every part: they find nothing, and would be a tenth of the index. */
const common = new Set(
  'a about also am an and any are as at be been but by can did do does for from get getting got had has have hello hey hi how i if in is it its just me my need needs no not now of on one only or our please so some still than thank thanks that the their then there these they this those to until want wants was we were what when where which while who why will with would you your'.split(
    ' ',
  ),
)

/** Without the endings of English, so that `stopped` finds `stops`; null where it finds nothing. */
export function processTerm(term: string): string | null {
  const word = term.toLowerCase().replace(/['’`]/g, '')
  return word === '' || common.has(word) ? null : stem(word)
}

function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const one = word.replace(/ies$/, 'y').replace(/(?<=[^su])s$/, '')
  const bare = one.replace(/(?<=[aeiouy].*..)(?:ing|ed)$/, '').replace(/([bdgmnprt])\1$/, '$1')
  return bare.length > 4 ? bare.replace(/e$/, '') : bare
}

/** What customers say, and what the pages say for it. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\blog(?:ged|ging)?[ -]?(?:in|on)\b/g, 'sign in'],
  [/\b(?:2fa|mfa|two[ -]factor|authenticator)\b/g, 'second factor'],
  [/\bout of money\b|\bran out\b|\brun(?:s|ning)? out\b/g, 'balance end empty'],
  [/\btop(?:ped|ping)?[ -]?up\b/g, 'deposit funds'],
  [/\bshut(?:s|ting)?[ -]?(?:down|off)\b|\bturn(?:s|ed|ing)? (?:it |itself )?off\b/g, 'shutdown stop'],
  [/\bout of (?:stock|capacity)\b|\bsold out\b|\bnot available\b/g, 'capacity free place queue'],
  [/\bby (?:itself|themselves)\b|\bon its own\b/g, 'automatic itself'],
  [/\bmoney back\b|\bget (?:my )?money out\b|\bcash out\b/g, 'withdraw return refund'],
  [/\badd(?:ing)? (?:money|credit|balance|usdt)\b/g, 'add funds deposit'],
  [/\bwait(?:ing)? in line\b|\bwait(?:ing)? ?list\b/g, 'queue'],
  [
    /\b(?:real|talk to a|speak to a|speak with a|talk to some) ?(?:person|human|body|one)\b/g,
    'ask person support reply',
  ],
  [/\bevery (?:morning|evening|night|day|week|weekend)\b/g, 'schedule'],
  [/\bover ?night\b|\bat night\b/g, 'night idle schedule'],
]

const groups: readonly string[] = [
  'refund return withdraw withdrawal returns',
  'withdraw payout',
  'instance machine server pod vm box container notebook',
  'gpu card',
  'money funds balance',
  'pay payment deposit usdt transfer',
  'crypto usdt tron',
  'cost price charge bill',
  'expensive cost price',
  'charge billed invoiced',
  'stuck arrive arriving wait pending missing',
  'confirm confirmation final arrive',
  'delete remove terminate destroy erase',
  'lost gone lose survive kept keep',
  'data file disk',
  'disk storage space volume',
  'full grow bigger larger resize expand',
  'backup snapshot restore',
  'connect ssh login',
  'refused denied permission',
  'idle inactive unused shutdown',
  'hibernate pause stop',
  'reboot restart',
  'launch deploy create start',
  'token key',
  'leak leaked compromised replace',
  'password sign account',
  'email mail',
  'notify notification notice told warn alert',
  'receipt invoice',
  'vat tax',
  'team member share',
  'port url tensorboard jupyter web open',
  'upload file import',
  'download file export',
  'image template docker',
  'log logs output',
  'monitor watch figures metrics utilization usage load',
  'limit quota maximum most',
  'region location country datacenter',
  'support ticket help contact',
  'human person',
  'discount savings term save reserved commitment',
  'spend spending budget cap',
  'csv spreadsheet export',
  'environment variable secret',
  'key ssh',
  'chatbot robot automated',
  'gdpr privacy personal',
  'device session',
  'mount attach',
  'schedule daily hours',
  'slow simulated',
]

const others = new Map<string, Set<string>>()
for (const group of groups) {
  const stems = group.split(' ').map(word => processTerm(word)!)
  const [first] = stems as [string, ...string[]]
  // The first is what the others are asked for; among themselves they mean less.
  for (const each of stems) {
    const known = others.get(each) ?? new Set()
    for (const other of each === first ? stems : [first, ...stems]) if (other !== each) known.add(other)
    others.set(each, known)
  }
}

export const synonymsOf = (word: string): readonly string[] => [...(others.get(word) ?? [])]

/** The words of a question in the words of the pages, each once, common ones left out. */
export function wordsOf(question: string): string[] {
  let text = question.toLowerCase()
  for (const [said, meant] of phrases) text = text.replace(said, match => `${match} ${meant}`)
  const words = text.split(/[\s\p{P}\p{S}]+/u).flatMap(word => processTerm(word) ?? [])
  return [...new Set(words)].slice(0, mostWords)
}

/** Of a question: a whole log would find everything. */
const mostWords = 40
