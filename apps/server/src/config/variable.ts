/**
 * Variables of the environment as data: what may be written, what holds without it, and a sentence for the reference.
 * Values are read by the same data, so the reference cannot say otherwise.
 */
import { ConfigError } from './config-error.ts'

/** What may be written. */
interface Form<T> {
  /** In the reference's words; nothing where the sentence says it. */
  readonly kind: string
  /** In a refusal's words. */
  readonly advice: string
  /** What is wrong, where the value is a secret or its fault is plain; otherwise the value is shown. */
  readonly problem?: string
  /** Undefined: it is wrong. */
  parse(text: string): T | undefined
}

interface About<Absent> {
  /** What holds when it is not set. */
  readonly absent: Absent
  /** That in words, where the value says too little. */
  readonly shown?: string
  /** What it does, in one sentence. */
  readonly does: string
}

export interface Variable<T> extends Form<T>, About<T> {}

export type Variables = Readonly<Record<string, Variable<unknown>>>
export type Environment = Readonly<Record<string, string | undefined>>
export type Values<V extends Variables> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never
}

export function readVariables<V extends Variables>(variables: V, env: Environment): Values<V> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [name, read(name, variable, env[name]?.trim())]),
  ) as Values<V>
}

function read<T>(name: string, { absent, advice, problem, parse }: Variable<T>, text: string | undefined): T {
  if (!text) return absent
  const value = parse(text)
  if (value === undefined)
    throw new ConfigError(`${name} ${problem ?? `is ${JSON.stringify(text)}`}. ${advice}`)
  return value
}

export const variable = <T, Absent>(form: Form<T>, about: About<Absent>): Variable<T | Absent> => ({
  ...form,
  ...about,
})

interface Range<Absent> extends About<Absent> {
  readonly min: number
  readonly max: number
}

const inRange = (text: string, { min, max }: { min: number; max: number }): number | undefined =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

export const integer = <Absent extends number | null>({ min, max, ...about }: Range<Absent>) =>
  variable<number, Absent>(
    {
      kind: `Whole number, ${min} to ${max}.`,
      advice: `Set it to a whole number from ${min} to ${max}`,
      parse: text => inRange(text, { min, max }),
    },
    about,
  )

const mostCalls = 1_000_000

/** How many in a time; null: any number. */
export const rate = (about: About<number | null>) =>
  variable<number | null, number | null>(
    {
      kind: `Whole number, 1 to ${mostCalls}, or \`off\`.`,
      advice: `Set it to a whole number from 1 to ${mostCalls}, or to off`,
      parse: text => (text === 'off' ? null : inRange(text, { min: 1, max: mostCalls })),
    },
    { shown: about.absent === null ? '`off`' : undefined, ...about },
  )

export const choice = <T extends string, Absent extends T>(values: readonly T[], about: About<Absent>) =>
  variable<T, Absent>(
    {
      kind: `One of ${values.map(value => `\`${value}\``).join(', ')}.`,
      advice: `Use one of ${values.join(', ')}`,
      parse: text => values.find(value => value === text),
    },
    about,
  )

export const flag = (about: About<boolean>) =>
  variable<boolean, boolean>(
    {
      kind: '`true` or `false`.',
      advice: 'Use one of true, false',
      parse: text => (text === 'true' ? true : text === 'false' ? false : undefined),
    },
    about,
  )

export const text = <Absent extends string | null>(about: About<Absent>) =>
  variable<string, Absent>({ kind: '', advice: '', parse: given => given }, about)

/** Text of a form of its own. */
export const matching = <Absent extends string | null>(
  isRight: (text: string) => boolean,
  {
    kind = '',
    advice,
    problem,
    ...about
  }: Partial<Form<string>> & { readonly advice: string } & About<Absent>,
) =>
  variable<string, Absent>(
    { kind, advice, ...(problem ? { problem } : {}), parse: given => (isRight(given) ? given : undefined) },
    about,
  )

/** Entries with commas between them; each must be right. */
export const list = <T>(
  parseEntry: (text: string) => T | undefined,
  { kind, advice, problem, ...about }: Omit<Form<T>, 'parse'> & About<readonly T[]>,
) =>
  variable<readonly T[], readonly T[]>(
    {
      kind,
      advice,
      ...(problem ? { problem } : {}),
      parse(given) {
        const entries = given.split(',').map(entry => parseEntry(entry.trim()))
        return entries.includes(undefined) ? undefined : (entries as T[])
      },
    },
    about,
  )

/** The sentence to write, letter by letter. Long on purpose: nobody types it by accident. */
export const sentence = (words: string, does: string) =>
  variable<boolean, boolean>(
    {
      kind: `\`${words}\``,
      advice: `Leave it out, or write: ${words}`,
      parse: given => (given === words ? true : undefined),
    },
    { absent: false, shown: '', does },
  )
