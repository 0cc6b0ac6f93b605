/** First in the order of Tab: past everything that stands on every page. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="fixed top-2 left-2 z-toast -translate-y-16 rounded-control border border-line-strong bg-raised px-3 py-2 text-body focus:translate-y-0"
    >
      Skip to content
    </a>
  )
}
