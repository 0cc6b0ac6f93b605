/**
 * Looks at what a model wrote before a customer does. It trusts nothing: whoever the model obeyed, only plain English
 * words come through, about what the facts are about, with the figures, names and links of the facts and no others.
 * What it cannot see is a wrong sentence made of right words; that is why each reply names its sources.
 */
import type { Material } from './answer.ts'

export type Verdict = { readonly text: string } | { readonly refused: string }

const mostCharacters = 2_500

export function guard(written: string, material: readonly Material[]): Verdict {
  const text = written
    .normalize('NFKC')
    .replace(/\r\n/g, '\n')
    .replace(/\*\*([^*\n]+)\*\*/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  const known = knownFrom(material)
  for (const [why, isWrong] of checks) if (isWrong(text, known)) return { refused: why }
  return { text }
}

interface Known {
  readonly text: string
  /** Whatever has a figure, a dot or a slash in it. */
  readonly tokens: ReadonlySet<string>
  readonly numbers: ReadonlySet<number>
  readonly money: ReadonlySet<number>
  readonly percents: ReadonlySet<number>
  readonly words: ReadonlySet<string>
  readonly count: number
}

function knownFrom(material: readonly Material[]): Known {
  const text = material
    .map(each => `${each.title}\n${each.text}\n${each.url}`)
    .join('\n')
    .normalize('NFKC')
  return {
    text: text.toLowerCase(),
    tokens: new Set(tokensOf(text)),
    ...figuresOf(text),
    words: new Set(wordsOf(text)),
    count: material.length,
  }
}

type Check = (text: string, known: Known) => boolean

const withoutCitations = (text: string): string => text.replace(/\[\d{1,2}\]/g, ' ')

/** Split at spaces, without the punctuation around it. */
const tokensOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s"“”‘()[\],;|]+/)
    .map(token => token.replace(/^[.:!?'’*_–—-]+|[.:!?'’*_–—-]+$/g, ''))
    .filter(token => token !== '')

function figuresOf(text: string) {
  const find = (form: RegExp) =>
    new Set([...text.matchAll(form)].map(([, figure]) => Number(figure!.replaceAll(',', ''))))
  return {
    numbers: find(/(?<![\w.])\$?(\d[\d,]*(?:\.\d+)?)(?![\w])/g),
    money: new Set([
      ...find(/\$\s?(\d[\d,]*(?:\.\d+)?)/g),
      ...find(/(\d[\d,]*(?:\.\d+)?)\s?(?:dollars?|usd[tc]?|eur(?:os?)?|cents?)\b/gi),
      ...find(/(?:usd[tc]?|eur)\s?(\d[\d,]*(?:\.\d+)?)/gi),
    ]),
    percents: find(/(\d[\d,]*(?:\.\d+)?)\s?(?:%|percent)/gi),
  }
}

/** By their beginnings: `charged` is about `charges`. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z][a-z'’]+/g) ?? [])
    .filter(word => word.length > 3 && !stock.has(word))
    .map(word => word.slice(0, 5))

/** What any answer may say. */
const stock = new Set(
  'about above according account after again also answer answers because been before being below between both check could does doing done down each either else even every find first following from have having help here hope however information instead into itself just know like look made make many mean means more most much must need needs next note once only other otherwise over please question read same says should since some something still such sure take tell than thank thanks that their them then there these they thing things this those through time took under until upon used using very want were what whatever when where whether which while will with within without would your yours yourself'.split(
    ' ',
  ),
)

const numberWords =
  /\b(?:four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|millions?|billions?|dozens?|double|triple)\b/gi

const topDomains = 'com|net|org|io|dev|app|ru|xyz|co|info|biz|me|ai|cloud|site|online|example'
const hiddenLink = new RegExp(
  `[[({]\\s*(?:dot|\\.)\\s*[\\])}]|\\bdot\\s+(?:${topDomains})\\b|\\w\\s+\\.\\s*(?:${topDomains})\\b|\\w\\.\\s+(?:com|net|org|io)\\b`,
  'i',
)

const verbs =
  'refund|credit|cancel|delet|terminat|restart|start|stop|creat|transferr?|sen[dt]|reset|chang|upgrad|approv|process|issu|grant|add|remov|unlock|suspend|clos|escalat|execut|call|run|ran|pa(?:y|id)|wir(?:e|ing)|updat|disabl|enabl|extend|appl|fix|notif|contact|forward|attach'
const claimsToAct = [
  new RegExp(`\\b(?:i|we)(?:['’](?:ve|ll|m|re|d))?\\s+(?:[a-z]+\\s+){0,3}?(?:${verbs})`, 'i'),
  new RegExp(
    `\\b(?:ha(?:s|ve) (?:now |just |already |successfully )?been|(?:was|were|is|are|will be) (?:now |just |already |being |successfully )+) ?(?:successfully )?(?:${verbs})[a-z]*`,
    'gi',
  ),
] as const

const asksForSecret =
  /\b(?:send|tell|give|share|reply|provide|enter|type|paste|post|confirm|submit|write|forward|email)\b[^.!?\n]{0,80}\b(?:pass(?:word|phrase|code)s?|seed|mnemonic|private keys?|secrets?|api keys?|tokens?|one-time|codes?|pins?|card numbers?|cvv|wallet words)\b/i

const leastGrounded = 0.5

const checks: readonly (readonly [string, Check])[] = [
  ['it is empty', text => text === ''],
  ['it is too long', text => text.length > mostCharacters],
  [
    'it has hidden characters',
    text => /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u.test(text.replaceAll('\n', '')),
  ],
  [
    'it has letters or signs that are not in the facts',
    (text, known) =>
      (text.match(/[^\s]*[^\x20-\x7e\s‘’“”–—…×•€£°][^\s]*/gu) ?? []).some(
        word => !known.text.includes(word.toLowerCase().replace(/^\p{P}+|\p{P}+$/gu, '')),
      ),
  ],
  [
    'it has markup',
    text =>
      /<\s*[/!?|a-z]|&(?:#\w+|[a-z]+);|\]\s?\(|\]:|\]\[(?!\d{1,2}\])|```|^\s*#{1,6}\s|~~|^\s*\|.*\|\s*$|!\[/im.test(
        text,
      ),
  ],
  [
    'it calls a tool',
    text =>
      /[{}]|\b(?:tool_calls?|function_call|tool_use|arguments|recipient_name)\b|\b\w+\(\s*["')\w]/i.test(
        text,
      ),
  ],
  ['it has a link that is not in the facts', (text, known) => hasOtherLink(text, known)],
  ['it has a figure, a name or an id that is not in the facts', (text, known) => hasOtherFigure(text, known)],
  ['it says that something was done', (text, known) => claims(text, known)],
  ['it asks for a secret', text => asksForSecret.test(text)],
  [
    'it names no source, or one that there is not',
    (text, { count }) => {
      const cited = [...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number))
      return cited.length === 0 || cited.some(number => number < 1 || number > count)
    },
  ],
  ['it says what the facts do not', (text, known) => isGroundless(text, known)],
]

function hasOtherLink(text: string, known: Known): boolean {
  if (hiddenLink.test(withoutCitations(text))) return true
  return tokensOf(withoutCitations(text)).some(token => {
    const isLink =
      /[@\\]|:\/|^\/|^www\.|^(?:mailto|javascript|data|tel|file|ftp|sms|tron|bitcoin|ethereum):/.test(
        token,
      ) ||
      /[^\d\W]\.[^\d\W]/.test(token) ||
      (token.includes('/') && !/^[a-z]+\/[a-z]+$/.test(token))
    return isLink && !/^(?:e\.g|i\.e)$/.test(token) && !known.tokens.has(token)
  })
}

function hasOtherFigure(text: string, known: Known): boolean {
  const plain = withoutCitations(text).replace(/^\s*\d[.)]\s/gm, '')
  const { money, percents } = figuresOf(plain)
  if ([...money].some(figure => !known.money.has(figure))) return true
  if ([...percents].some(figure => !known.percents.has(figure))) return true
  if ((plain.match(numberWords) ?? []).some(word => !known.text.includes(word.toLowerCase()))) return true
  if (hasOtherName(plain, known)) return true
  return tokensOf(plain).some(token => {
    // A word as long as a key or an address is none.
    if (!/\d/.test(token)) return token.length > 24 && !known.tokens.has(token)
    if (known.tokens.has(token)) return false
    const figure = /^[$€£]?(\d[\d,]*(?:\.\d+)?)%?$/.exec(token)?.[1]
    return figure === undefined || !known.numbers.has(Number(figure.replaceAll(',', '')))
  })
}

/** What is written like a name: with a capital within a sentence, or in parts. */
function hasOtherName(text: string, known: Known): boolean {
  const has = (word: string) => known.text.includes(word.toLowerCase())
  const capital = text.match(/(?<=[\p{Ll}\d,;:] )[A-Z][\w'’]+/gu) ?? []
  const parted = text.match(/[A-Za-z]+(?:[-_][A-Za-z]+)+/g) ?? []
  return (
    capital.some(word => !has(word.replace(/['’]\w*$/, ''))) ||
    parted.some(word => !has(word) && !word.split(/[-_]/).every(has))
  )
}

const claims: Check = (text, known) =>
  claimsToAct[0].test(text) ||
  (text.match(claimsToAct[1]) ?? []).some(claim => !known.text.includes(claim.toLowerCase()))

/** Sentence by sentence: half of what each says must be in the facts. */
const isGroundless: Check = (text, known) =>
  withoutCitations(text)
    .split(/[.!?:;\n]+(?:\s|$)/)
    .some(sentence => {
      const words = wordsOf(sentence)
      return (
        words.length > 0 && words.filter(word => known.words.has(word)).length / words.length < leastGrounded
      )
    })
