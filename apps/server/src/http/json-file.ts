/** One array of objects, a line each, written as fast as it is taken. */
import type { Bytes } from './bytes.ts'

export const jsonFile = (fileName: string, pages: AsyncIterable<readonly object[]>): Bytes => ({
  fileName,
  mediaType: 'application/json',
  body: arrayOf(pages),
})

async function* arrayOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  // Goes with the first page: what fails before that is an error, and no file.
  let before = '['
  for await (const rows of pages) {
    let text = ''
    for (const row of rows) {
      text += `${before}\n${JSON.stringify(row)}`
      before = ','
    }
    if (text) yield text
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
