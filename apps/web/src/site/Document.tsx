import { themeScript } from '../ui/theme.ts'
import { Announcements } from './Announcements.tsx'
import { factsOf } from './facts.ts'
import { Footer } from './Footer.tsx'
import { Header } from './Header.tsx'
import { earlyScript } from './islands/early.ts'
import { type Links, type Page, shareImage } from './page.ts'
import { useShown, wordsOf } from './shown.ts'

/** The frame of every public page: head, skip link, header, one main, footer. */
export function Document({ page, links }: { readonly page: Page; readonly links: Links }) {
  const shown = useShown()
  const { origin } = shown
  const description = wordsOf(page.description, shown)
  const Body = page.component
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <script dangerouslySetInnerHTML={{ __html: themeScript + earlyScript }} />
        {links.fonts.map(href => (
          <link key={href} rel="preload" as="font" type="font/woff2" crossOrigin="anonymous" href={href} />
        ))}
        {links.css.map(href => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {links.scripts.map(src => (
          <script key={src} type="module" src={src} />
        ))}
        <title>{page.title}</title>
        <meta name="description" content={description} />
        {page.indexed ? (
          <link rel="canonical" href={origin + page.path} />
        ) : (
          <meta name="robots" content="noindex" />
        )}
        {page.indexed && (
          <>
            <meta property="og:url" content={origin + page.path} />
            <meta property="og:image" content={origin + shareImage(page.sharedAs ?? page.path)} />
            <meta property="og:image:width" content="1200" />
            <meta property="og:image:height" content="630" />
            <meta name="twitter:card" content="summary_large_image" />
            {/* Data, not code: the policy for scripts does not apply to it. "<" cannot end it early. */}
            <script
              type="application/ld+json"
              dangerouslySetInnerHTML={{
                __html: JSON.stringify(factsOf(page, shown)).replaceAll('<', '\\u003c'),
              }}
            />
          </>
        )}
        {page.path.startsWith('/blog') && (
          <link rel="alternate" type="application/rss+xml" title="Ingot blog" href="/blog/feed.xml" />
        )}
        <meta property="og:title" content={page.title} />
        <meta property="og:description" content={description} />
        <meta property="og:type" content={page.article ? 'article' : 'website'} />
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
        <Announcements />
        <main id="content" data-density="touch" tabIndex={-1} className="grow">
          <Body search={links.search} />
        </main>
        <Footer />
      </body>
    </html>
  )
}
