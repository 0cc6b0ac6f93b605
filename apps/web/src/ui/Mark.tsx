/** The product's sign: a label with a cast bar on it. Decoration beside the name; alone it needs a label around it. */
export function Mark() {
  return (
    <svg viewBox="0 0 28 20" width="28" height="20" aria-hidden className="shrink-0">
      <rect x=".5" y=".5" width="27" height="19" rx="3" className="fill-tape stroke-action-line" />
      <path d="M9.5 5h9l4.5 10H5z" className="fill-on-action" />
    </svg>
  )
}
