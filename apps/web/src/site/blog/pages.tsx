/** The blog's part of the page table. */
import type { Page } from '../page.ts'
import { SectionNotFound } from '../prose/SectionNotFound.tsx'
import { BlogPage } from './BlogPage.tsx'
import { PostPage } from './PostPage.tsx'
import { categories, categoryPath, posts } from './posts.ts'

const trail = [
  { name: 'Home', path: '/' },
  { name: 'Blog', path: '/blog' },
]

export const blogPages: readonly Page[] = [
  {
    path: '/blog',
    title: 'Blog · Ingot',
    description:
      'How a GPU cloud is built: starting machines, counting money, terminals and honesty, each with measurements and their method.',
    indexed: true,
    component: () => <BlogPage category={null} />,
    trail,
  },
  ...categories.map((category): Page => ({
    path: categoryPath(category),
    title: `${category} · Ingot blog`,
    description: `Posts of the Ingot blog on ${category}.`,
    // A list of a list: search engines should send people to the posts.
    indexed: false,
    component: () => <BlogPage category={category} />,
  })),
  ...posts.map((post): Page => {
    const { title, description, date, modified, author } = post.meta
    const path = `/blog/${post.slug}`
    return {
      path,
      title: `${title} · Ingot blog`,
      description,
      indexed: true,
      component: props => <PostPage {...props} post={post} />,
      trail: [...trail, { name: title, path }],
      article: { published: date, modified: modified ?? date, author },
    }
  }),
  {
    path: '/blog/404',
    notFoundFor: '/blog',
    title: 'Blog Post Not Found · Ingot',
    description: 'There is no blog post at this address.',
    indexed: false,
    component: props => (
      <SectionNotFound
        {...props}
        title="Blog Post Not Found"
        text="There is no post at this address."
        back={{ href: '/blog', label: 'Back to Blog' }}
      />
    ),
  },
]
