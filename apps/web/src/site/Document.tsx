import { themeScript } from '../ui/theme.ts'
import { Footer } from './Footer.tsx'
import { Header } from './Header.tsx'
import type { Assets, Page } from './page.ts'

/** The frame of every public page: head, skip link, header, one main, footer. */
export function Document({ page, assets }: { readonly page: Page; readonly assets: Assets }) {
  const Body = page.component
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <script dangerouslySetInnerHTML={{ __html: themeScript }} />
        {assets.fonts.map(href => (
          <link key={href} rel="preload" as="font" type="font/woff2" crossOrigin="anonymous" href={href} />
        ))}
        {assets.css.map(href => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {assets.scripts.map(src => (
          <script key={src} type="module" src={src} />
        ))}
        <title>{page.title}</title>
        <meta name="description" content={page.description} />
        {page.indexed ? (
          <link rel="canonical" href={assets.origin + page.path} />
        ) : (
          <meta name="robots" content="noindex" />
        )}
        <meta property="og:title" content={page.title} />
        <meta property="og:description" content={page.description} />
        <meta property="og:type" content="website" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      </head>
      <body className="flex min-h-dvh flex-col">
        <a
          href="#content"
          className="fixed top-2 left-2 z-toast -translate-y-16 rounded-control border border-line-strong bg-raised px-3 py-2 text-body focus:translate-y-0"
        >
          Skip to content
        </a>
        <Header path={page.path} />
        <main id="content" data-density="touch" tabIndex={-1} className="grow">
          <Body origin={assets.origin} />
        </main>
        <Footer />
      </body>
    </html>
  )
}
