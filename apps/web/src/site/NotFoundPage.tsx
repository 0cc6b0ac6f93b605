export function NotFoundPage() {
  return (
    <div className="mx-auto max-w-site px-4 py-24 sm:px-6">
      <p className="text-stat text-muted">404</p>
      <h1 className="mt-2 text-h1-site">Oops! Page not found</h1>
      <p className="mt-4 text-lead text-muted">There is no page at this address.</p>
      <p className="mt-6 text-prose">
        <a href="/" className="link">
          Return to Home
        </a>
      </p>
    </div>
  )
}
