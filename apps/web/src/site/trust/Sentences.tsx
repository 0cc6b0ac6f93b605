import { createElement, Fragment } from 'react'
import type { Sentence } from './claim.ts'

/** Sentences in a row. What holds them is for tests alone. */
export const Sentences = ({ of }: { readonly of: readonly Sentence[] }) =>
  createElement(Fragment, null, ...of.flatMap(({ says }, index) => (index > 0 ? [' ', says] : [says])))
