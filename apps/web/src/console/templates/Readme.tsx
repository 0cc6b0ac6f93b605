/**
 * A customer's Markdown. It becomes elements of our own, never HTML: what is none of them is shown as its text. Links
 * leave only to the web, and no image is fetched, so a readme learns nothing of who reads it.
 */
import type { Nodes, Parents } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { Fragment, type ReactNode } from 'react'

/** It stands below a heading of the third level. */
const headings = ['h4', 'h5', 'h6'] as const
/** What is nested deeper is left out. */
const maxDepth = 16

/** Signs in one paragraph. The parser takes a time that grows with their square, and the text is a stranger's. */
const maxSigns = 1_000
const isTooIntricate = (text: string): boolean =>
  text.split(/\n[ \t\r]*\n/).some(part => part.replace(/[^*_[\]`>~!<-]/g, '').length > maxSigns)

export function Readme({ text }: { readonly text: string }) {
  if (isTooIntricate(text)) return <p className="break-words whitespace-pre-wrap">{text}</p>
  const root = fromMarkdown(text)
  const links = new Map(
    root.children.flatMap(node => (node.type === 'definition' ? [[node.identifier, node.url]] : [])),
  )
  const inside = (node: Parents, depth: number): ReactNode =>
    node.children.map((child, at) => <Fragment key={at}>{shown(child, depth + 1)}</Fragment>)

  function shown(node: Nodes, depth: number): ReactNode {
    if (depth > maxDepth) return null
    switch (node.type) {
      case 'heading': {
        const Level = headings[Math.min(node.depth, headings.length) - 1]!
        return <Level className="pt-2 text-heading">{inside(node, depth)}</Level>
      }
      case 'paragraph':
        return <p>{inside(node, depth)}</p>
      case 'list': {
        const items = <>{inside(node, depth)}</>
        return node.ordered ? (
          <ol start={node.start ?? 1} className="list-decimal pl-6">
            {items}
          </ol>
        ) : (
          <ul className="list-disc pl-6">{items}</ul>
        )
      }
      case 'listItem':
        return <li>{inside(node, depth)}</li>
      case 'blockquote':
        return (
          <blockquote className="border-l-2 border-line pl-3 text-muted">{inside(node, depth)}</blockquote>
        )
      case 'emphasis':
        return <em>{inside(node, depth)}</em>
      case 'strong':
        return <strong className="font-semi">{inside(node, depth)}</strong>
      case 'link':
        return <Away to={node.url}>{inside(node, depth)}</Away>
      case 'linkReference':
        return <Away to={links.get(node.identifier) ?? ''}>{inside(node, depth)}</Away>
      case 'inlineCode':
        return <code className="font-mono text-code">{node.value}</code>
      case 'code':
        return (
          <pre className="rounded-panel bg-sunken p-3 font-mono text-code break-words whitespace-pre-wrap">
            {node.value}
          </pre>
        )
      case 'break':
        return <br />
      case 'thematicBreak':
        return <hr className="border-line" />
      case 'image':
      case 'imageReference':
        return node.alt
      case 'text':
      case 'html':
        return node.value
      default:
        return null
    }
  }
  return <div className="flex min-w-0 flex-col gap-2 break-words">{inside(root, 0)}</div>
}

function Away({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(to)) return children
  return (
    <a href={to} target="_blank" rel="noreferrer nofollow ugc" className="link">
      {children}
    </a>
  )
}
