interface MailTextProps {
  readonly text: string
  readonly links: readonly string[]
}

/** The text as it is, with its links live. Only web addresses become links. */
export function MailText({ text, links }: MailTextProps) {
  const known = new Set(links.filter(link => /^https?:\/\//.test(link)))
  return (
    <p className="px-4 py-3 break-words whitespace-pre-wrap">
      {splitAt(text, [...known]).map((part, index) =>
        known.has(part) ? (
          <a key={index} href={part} className="link break-all">
            {part}
          </a>
        ) : (
          part
        ),
      )}
    </p>
  )
}

/** Longer links first: one may begin like another. */
function splitAt(text: string, links: readonly string[]): string[] {
  let parts = [text]
  for (const link of links.toSorted((a, b) => b.length - a.length))
    parts = parts.flatMap(part => (links.includes(part) ? [part] : withSeparators(part, link)))
  return parts.filter(part => part !== '')
}

const withSeparators = (text: string, link: string): string[] =>
  text.split(link).flatMap((part, index) => (index === 0 ? [part] : [link, part]))
