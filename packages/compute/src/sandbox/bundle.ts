/**
 * The keeper's modules as one program: Node comes up with a single CommonJS file some 16 ms sooner than with modules,
 * and a machine's start is mostly that. It knows the few forms of import and export that the keeper is written
 * with, and fails at any other when the runtime is staged.
 */
import { posix } from 'node:path'

export interface Module {
  readonly path: string
  /** Plain JavaScript. */
  readonly content: string
}

const imports = /^import \{([^}]*)\} from '([^']+)';?$/gm
const exported = /^export ((?:async )?function\*? |const |class )(\w+)/gm

/** All that `entry` needs, each module once and after what it needs itself. */
export function bundle(modules: readonly Module[], entry: string): string {
  const byPath = new Map(modules.map(module => [module.path, module.content]))
  const done = new Map<string, string>()

  function add(path: string): string {
    const known = done.get(path)
    if (known) return known
    if (known === '') throw new Error(`${path} needs itself`)
    const name = `module${done.size}`
    done.set(path, '')
    const content = byPath.get(path)
    if (content === undefined) throw new Error(`there is no ${path}`)
    const exports = [...content.matchAll(exported)].map(match => match[2])
    const body = content
      .replaceAll(imports, (_, names: string, from: string) => {
        const source = from.startsWith('.')
          ? add(posix.join(posix.dirname(path), from))
          : `require('${from}')`
        return `const {${names.replaceAll(' as ', ': ')}} = ${source}`
      })
      .replaceAll(exported, '$1$2')
      .replaceAll('import.meta.url', '__filename')
    const left = /^(import|export)\b.*|import\.meta.*/m.exec(body)
    if (left) throw new Error(`${path} has a form that is not known here: ${left[0]}`)
    parts.push(`const ${name} = (() => {\n${body}\nreturn { ${exports.join(', ')} }\n})()\n`)
    done.set(path, name)
    return name
  }

  const parts: string[] = [`'use strict'\n`]
  add(entry)
  return parts.join('')
}
