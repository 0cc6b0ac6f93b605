/** What a reply says and where it is from, put together from facts alone. */
import type { ReplySource } from '@ingot/contracts/support'
import { automatedLead } from '@ingot/contracts/support/ai-replies'
import type { Fact } from './facts.ts'
import type { Extract } from './manual.ts'

export interface Material extends Fact {
  readonly number: number
}

export interface Answer {
  readonly content: string
  readonly sources: readonly ReplySource[]
  /** For staff: what it was made of. */
  readonly facts: readonly string[]
  readonly outcome: 'answered' | 'unknown'
  readonly writer: 'facts' | 'model'
}

const docs = 'Docs: '
const askPerson = 'If that is not it, write what is missing, or press "Ask a person".'

/** What there is to answer from, numbered: the customer's own rows, then the pages. */
export function materialOf(facts: readonly Fact[], pages: readonly Extract[]): Material[] {
  const all = [
    ...facts,
    ...pages.map(({ url, title, lines }): Fact => ({
      kind: 'docs',
      url,
      title: docs + title,
      text: lines.join('\n'),
    })),
  ]
  return all.map((each, n) => ({ ...each, number: n + 1 }))
}

/** `known`: the pages have an answer. Without one, what the customer has is said all the same. */
export function answerFromFacts(material: readonly Material[], known: boolean): Answer {
  const own = material.filter(({ kind }) => kind !== 'docs')
  const pages = material.filter(({ kind }) => kind === 'docs')
  // Lines of a page say little without what they stand under.
  const said = [
    ...own.map(({ text, number }) => `${text} [${number}]`),
    ...pages.map(({ title, text, number }) => `${title.slice(docs.length)}:\n${text} [${number}]`),
  ]
  const isAnswered = known || own.length > 0
  const paragraphs = isAnswered
    ? [
        ...said,
        known
          ? askPerson
          : 'What the documentation says to your question I do not know. If that is not it, press "Ask a person".',
      ]
    : [
        'I do not know the answer: the documentation has none. Press "Ask a person", and a person answers you.',
      ]
  return {
    content: [automatedLead, ...paragraphs].join('\n\n'),
    sources: isAnswered ? material.map(sourceOf) : [],
    facts: isAnswered ? material.map(factText) : [],
    outcome: known ? 'answered' : 'unknown',
    writer: 'facts',
  }
}

/** Only what it names is a source, numbered anew in the order of its text. */
export function answerOfModel(text: string, material: readonly Material[]): Answer {
  const cited = [...new Set([...text.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)))]
  const numbers = new Map(cited.map((number, n) => [number, n + 1]))
  const named = cited.map(number => ({
    ...material.find(each => each.number === number)!,
    number: numbers.get(number)!,
  }))
  return {
    content: [
      automatedLead,
      text.replace(/\[(\d{1,2})\]/g, (_, number: string) => `[${numbers.get(Number(number))}]`),
      askPerson,
    ].join('\n\n'),
    sources: named.map(sourceOf),
    facts: material.map(factText),
    outcome: 'answered',
    writer: 'model',
  }
}

const sourceOf = ({ number, kind, title, url }: Material): ReplySource => ({ number, kind, title, url })
const factText = ({ title, text }: Material): string => `${title}: ${text}`
