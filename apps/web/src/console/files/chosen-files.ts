/** Files that were dropped, with those in folders, each with its path below where it was dropped. */
import type { Chosen } from './uploads.ts'

/** Has to be asked while the drop is told of: later the browser knows nothing of it. */
export async function droppedFiles(data: DataTransfer): Promise<Chosen[]> {
  const entries = [...data.items].map(item => item.webkitGetAsEntry()).filter(entry => entry !== null)
  return (await Promise.all(entries.map(entry => below(entry, '')))).flat()
}

async function below(entry: FileSystemEntry, above: string): Promise<Chosen[]> {
  const under = above + entry.name
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ file, under }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: Chosen[] = []
  for (;;) {
    // A part of them at a time, and none at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return found
    for (const each of part) found.push(...(await below(each, `${under}/`)))
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile

export const pickedFiles = (list: FileList): Chosen[] =>
  [...list].map(file => ({ file, under: file.webkitRelativePath || file.name }))
