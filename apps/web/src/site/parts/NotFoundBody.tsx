interface NotFoundBodyProps {
  readonly title: string
  readonly text: string
  readonly href: string
  readonly label: string
}

/** An unknown name in a list that is known: what was not found, and the way to what there is. */
export function NotFoundBody({ title, text, href, label }: NotFoundBodyProps) {
  return (
    <div className="mx-auto max-w-site px-4 py-24 sm:px-6">
      <p className="text-stat text-muted">404</p>
      <h1 className="mt-2 text-h1-site">{title}</h1>
      <p className="mt-4 max-w-prose text-lead text-muted">{text}</p>
      <p className="mt-6 text-prose">
        <a href={href} className="link">
          {label}
        </a>
      </p>
    </div>
  )
}
