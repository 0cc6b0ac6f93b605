/** Code as coloured pieces, with the roles of the design system for colours. No browser runs it. */
import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import bash from 'shiki/langs/bash.mjs'
import http from 'shiki/langs/http.mjs'
import ini from 'shiki/langs/ini.mjs'
import javascript from 'shiki/langs/javascript.mjs'
import json from 'shiki/langs/json.mjs'
import python from 'shiki/langs/python.mjs'
import sql from 'shiki/langs/sql.mjs'

const highlighter = await createHighlighterCore({
  themes: [createCssVariablesTheme({ name: 'roles' })],
  langs: [bash, http, ini, javascript, json, python, sql],
  engine: createJavaScriptRegexEngine(),
})

const roles: Readonly<Record<string, string>> = {
  comment: 'text-muted',
  string: 'text-ok',
  'string-expression': 'text-ok',
  constant: 'text-warn',
  keyword: 'text-link',
  function: 'text-info',
}

export interface Piece {
  readonly text: string
  /** A colour class; undefined: the colour of the text. */
  readonly role: string | undefined
}

/** A Python file written from a shell. */
const written = /^([\s\S]*?\.py <<'END')\n([\s\S]*?)\n(END(?:\n[\s\S]*)?)$/

/** Line by line. A language that is not loaded stays plain; Python inside a shell's here-document is Python. */
export function highlight(code: string, language: string): Piece[][] {
  const [, before, python, after] = (language === 'bash' && written.exec(code)) || []
  if (before !== undefined)
    return [...inOne(before, 'bash'), ...inOne(python!, 'python'), ...highlight(after!, 'bash')]
  return inOne(code, language)
}

function inOne(code: string, language: string): Piece[][] {
  if (!highlighter.getLoadedLanguages().includes(language))
    return code.split('\n').map(text => [{ text, role: undefined }])
  // By default a line that takes long stays plain: on a busy machine, pages would differ from one rendering to the next.
  const { tokens } = highlighter.codeToTokens(code, { lang: language, theme: 'roles', tokenizeTimeLimit: 0 })
  return tokens.map(line => {
    const pieces: Piece[] = []
    for (const { content, color } of line) {
      const role = roles[/--shiki-token-([\w-]+)/.exec(color ?? '')?.[1] ?? '']
      const last = pieces.at(-1)
      if (last && (last.role === role || !content.trim()))
        pieces[pieces.length - 1] = { text: last.text + content, role: last.role }
      else pieces.push({ text: content, role })
    }
    return pieces
  })
}
