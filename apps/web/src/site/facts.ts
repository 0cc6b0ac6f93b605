/** What search engines may show beside a page: who publishes it, where it stands, and for a post who wrote it and when. */
import type { Shown } from '@ingot/contracts/pages'
import { type Page, shareImage, shareTitle } from './page.ts'
import { wordsOf } from './shown.ts'

export function factsOf(page: Page, shown: Shown): object {
  const { origin } = shown
  const organization = { '@type': 'Organization', '@id': `${origin}/#organization` }
  return {
    '@context': 'https://schema.org',
    '@graph': [
      { ...organization, name: 'Ingot', url: `${origin}/`, logo: `${origin}/favicon.svg` },
      ...(page.trail ? [breadcrumbs(page.trail, origin)] : []),
      ...(page.article
        ? [
            {
              '@type': 'BlogPosting',
              headline: shareTitle(page),
              description: wordsOf(page.description, shown),
              datePublished: page.article.published,
              dateModified: page.article.modified,
              author: { '@type': 'Organization', name: page.article.author },
              publisher: organization,
              image: origin + shareImage(page.path),
              mainEntityOfPage: origin + page.path,
            },
          ]
        : []),
      ...(page.facts?.(shown) ?? []),
    ],
  }
}

const breadcrumbs = (trail: NonNullable<Page['trail']>, origin: string): object => ({
  '@type': 'BreadcrumbList',
  itemListElement: trail.map(({ name, path }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: origin + path,
  })),
})

/** For a page's `facts`: questions that it answers. */
export const faqPage = (
  questions: readonly { readonly question: string; readonly answer: string }[],
): object => ({
  '@type': 'FAQPage',
  mainEntity: questions.map(({ question, answer }) => ({
    '@type': 'Question',
    name: question,
    acceptedAnswer: { '@type': 'Answer', text: answer },
  })),
})
