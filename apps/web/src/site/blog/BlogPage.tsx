import { cx } from '../../ui/cx.ts'
import { formatDate } from '../../ui/format.ts'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { SubscribeForm } from '../parts/SubscribeForm.tsx'
import { categories, type Category, categoryPath, coming, type Post, posts } from './posts.ts'

interface BlogPageProps {
  /** Null: all. */
  readonly category: Category | null
}

/** The list of posts. A category is an address of its own, so it can be linked to and works without a script. */
export function BlogPage({ category }: BlogPageProps) {
  const isShown = (each: { readonly category: Category }) => category === null || each.category === category
  const shown = posts.filter(post => isShown(post.meta))
  const featured = category === null ? shown.find(post => post.meta.featured) : undefined
  const rest = shown.filter(post => post !== featured)
  const soon = coming.filter(isShown)
  return (
    <Frame>
      <PageHead
        title={category ?? 'Blog'}
        lead={
          category
            ? `Posts on ${category}.`
            : 'How this cloud is built, with measurements, and what is not true yet.'
        }
      />
      <Categories chosen={category} />
      {featured && <Featured post={featured} />}
      {rest.length > 0 && (
        <section aria-labelledby="recent" className={cx(featured && 'border-t border-line', 'py-12')}>
          <h2 id="recent" className={cx('text-h2-site', category && 'sr-only')}>
            Recent posts
          </h2>
          <ul className="mt-6 grid gap-x-12 gap-y-12 sm:grid-cols-2">
            {rest.map(post => (
              <li key={post.slug}>
                <Card post={post} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {shown.length === 0 && (
        <p className="py-12 text-lead text-muted">
          No posts in {category} yet.{' '}
          <a href="/blog" className="link">
            All posts
          </a>
        </p>
      )}
      {soon.length > 0 && (
        <section aria-labelledby="coming" className="border-t border-line py-8">
          <h2 id="coming" className="text-heading">
            Coming
          </h2>
          <ul className="mt-2">
            {soon.map(({ title, category }) => (
              <li key={title} className="flex flex-wrap justify-between gap-x-6 py-1 text-prose text-muted">
                {title}
                <span className="text-body">{category}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section
        aria-labelledby="subscribe"
        className="grid gap-6 rounded-panel bg-sunken px-4 py-8 sm:px-8 lg:grid-cols-2 lg:gap-16"
      >
        <div>
          <h2 id="subscribe" className="text-h2-site">
            New posts by mail
          </h2>
          <p className="mt-2 text-prose text-muted">
            A few a year. There is a{' '}
            <a href="/blog/feed.xml" className="link">
              feed
            </a>{' '}
            as well.
          </p>
        </div>
        <SubscribeForm />
      </section>
    </Frame>
  )
}

function Categories({ chosen }: { readonly chosen: Category | null }) {
  const links = [
    { name: 'All', href: '/blog', isChosen: chosen === null },
    ...categories.map(name => ({ name, href: categoryPath(name), isChosen: name === chosen })),
  ]
  return (
    <nav aria-label="Categories" className="border-b border-line pb-3">
      <div className="-ml-3 flex flex-wrap gap-1">
        {links.map(({ name, href, isChosen }) => (
          <a
            key={href}
            href={href}
            aria-current={isChosen ? 'page' : undefined}
            className="flex h-8 items-center rounded-control px-3 text-body font-medium text-muted hover:bg-hover hover:text-ink aria-[current]:bg-selected aria-[current]:text-ink pointer-coarse:h-touch"
          >
            {name}
          </a>
        ))}
      </div>
    </nav>
  )
}

function Featured({ post }: { readonly post: Post }) {
  const { title, description } = post.meta
  return (
    <article className="py-12 lg:grid lg:grid-cols-3 lg:gap-12 lg:py-16">
      <div className="lg:col-span-2">
        <p className="text-label text-muted">Featured</p>
        <h2 className="mt-2 text-h1-site text-balance">
          <a href={`/blog/${post.slug}`} className="hover:text-link">
            {title}
          </a>
        </h2>
        <p className="mt-4 max-w-prose text-lead text-muted">{description}</p>
        <p className="mt-6">
          <a href={`/blog/${post.slug}`} className="link text-prose" aria-label={`Read Article: ${title}`}>
            Read Article
          </a>
        </p>
      </div>
      <div className="max-lg:mt-6 lg:self-end lg:border-l lg:border-line lg:pl-12">
        <Byline post={post} />
      </div>
    </article>
  )
}

function Card({ post }: { readonly post: Post }) {
  const { title, description } = post.meta
  return (
    <article>
      <Byline post={post} />
      <h3 className="mt-2 text-title text-balance">
        <a href={`/blog/${post.slug}`} className="hover:text-link">
          {title}
        </a>
      </h3>
      <p className="mt-2 text-prose text-muted">{description}</p>
      <p className="mt-3">
        <a href={`/blog/${post.slug}`} className="link" aria-label={`Read More: ${title}`}>
          Read More
        </a>
      </p>
    </article>
  )
}

export function Byline({ post }: { readonly post: Post }) {
  const { date, readMinutes, category, author } = post.meta
  return (
    <p className="text-body text-muted">
      <a href={categoryPath(category)} className="font-medium text-ink hover:text-link hover:underline">
        {category}
      </a>
      <span className="block">
        {author}, <time dateTime={date}>{formatDate(new Date(date), 'UTC')}</time>, {readMinutes} min
      </span>
    </p>
  )
}
