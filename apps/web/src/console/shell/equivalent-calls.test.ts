/**
 * Every call that a person makes by a screen and that an API key may make too is offered as a command somewhere in the
 * console: whatever creates, changes or deletes, and every list. What stands aside does so for a reason.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { api } from '@ingot/contracts/api'
import { type Operation, takesKey } from '@ingot/contracts/operation'
import { expect, it } from 'vitest'

const console = fileURLToPath(new URL('..', import.meta.url))

const aside: Readonly<Record<string, string>> = {
  'instances.loads': 'a column of the list of instances, whose call is offered',
  'instances.checkIdle': 'a line over the list of instances, made by the page each minute',
  'instances.download': 'answers a link that a browser opens at once',
  'volumes.download': 'answers a link that a browser opens at once',
  'instances.beginUpload': 'one of three calls, which a command can’t make without the file',
  'volumes.beginUpload': 'one of three calls, which a command can’t make without the file',
  'instances.imports': 'rows over the files, whose beginning is offered',
  'volumes.imports': 'rows over the files, whose beginning is offered',
  'files.cancelImport': 'a button of such a row',
  'files.putPiece': 'a piece of an upload, whose beginning stands aside',
  'files.finishUpload': 'the end of an upload, whose beginning stands aside',
  'files.dropUpload': 'ends an upload, whose beginning stands aside',
  'instances.terminal': 'answers a ticket that a browser opens at once',
  'instances.openPort': 'answers a link that a browser opens at once',
  'volumes.regions': 'choices of the dialog that makes one, whose call is offered',
  'activity.instances': 'choices of a filter, whose list is offered',
  'activity.volumes': 'choices of a filter, whose list is offered',
  'support.send': 'a message of a conversation, whose first one is offered',
  'support.update': 'a button of a conversation, whose reading is offered',
  'support.read': 'made by looking at it',
  'support.askPerson': 'a button of a conversation, whose reading is offered',
  'support.attach': 'a file of a message, which a command can’t send without it',
  'invoices.open': 'months that a command turns into an invoice, which is offered at each',
}

const sources = readdirSync(console, { recursive: true, encoding: 'utf8' })
  .filter(path => /\.tsx?$/.test(path) && !path.includes('.test.'))
  .map(path => readFileSync(join(console, path), 'utf8'))

const calls = new Set(
  Object.entries(api).flatMap(([noun, ops]) => Object.keys(ops).map(name => `${noun}.${name}`)),
)

/** Every quoted word of a match's first group that is a call: of a noun, or with it. */
const named = (form: RegExp, noun?: string): string[] =>
  sources
    .flatMap(text => [...text.matchAll(form)])
    .flatMap(([, words]) => [...words!.matchAll(/['"]([\w.]+)['"]/g)])
    .map(([, name]) => (noun ? `${noun}.${name}` : name!))
    // Of a choice between two, the condition has words too.
    .filter(call => !noun || calls.has(call))

/** What is the same of an instance and of a volume. */
const ofEither = sources
  .flatMap(text => [...text.matchAll(/<CopyCall\s+call=\{`\$\{kind\}\.(\w+)`\}/g)])
  .flatMap(([, name]) => [`instances.${name}`, `volumes.${name}`])

const offered = new Set([
  ...ofEither,
  ...named(/<CopyCall\s+call=("[\w.]+")/g),
  ...named(/curlOf\(\s*('[\w.]+')/g),
  ...named(/call: ('[a-z]\w*\.\w+')/g),
  ...named(/(?:commandsFor|curlFor)\(\s*location\.origin,\s*([^,]+),/g, 'instances'),
  ...named(/<SameCall call=("\w+")/g, 'instances'),
  ...named(/SameCall\s+call=\{([^}]+)\}/g, 'instances'),
  ...named(/templateCalls\(\s*([^,]+),/g, 'templates'),
  ...(sources.some(text => text.includes('deployCommands(')) ? ['instances.create'] : []),
])

const isList = (op: Operation): boolean =>
  op.transport === undefined &&
  'shape' in op.output._zod.def &&
  'items' in (op.output._zod.def.shape as object)

const wanted = Object.entries(api).flatMap(([noun, calls]) =>
  Object.entries(calls as Record<string, Operation>)
    .filter(([, op]) => op.who === 'user' && takesKey(op.who) && (op.method !== 'GET' || isList(op)))
    .map(([name]) => `${noun}.${name}`),
)

it('is offered for every call that creates, changes, deletes or lists', () => {
  expect(wanted.length).toBeGreaterThan(40)
  expect(wanted.filter(call => !offered.has(call) && !aside[call])).toEqual([])
})

it('knows no exception and no command of a call that there is not', () => {
  expect([...Object.keys(aside), ...offered].filter(call => !calls.has(call))).toEqual([])
})
