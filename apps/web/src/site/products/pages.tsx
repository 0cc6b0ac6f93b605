/** Products: the list, three details, and what an unknown product gets. */
import type { Page } from '../page.ts'
import { NotFoundBody } from '../parts/NotFoundBody.tsx'
import { productDetails } from './details.tsx'
import { ProductPage } from './ProductPage.tsx'
import { ProductsPage } from './ProductsPage.tsx'

const trail = [
  { name: 'Home', path: '/' },
  { name: 'Products', path: '/products' },
]

const descriptions: Record<string, string> = {
  'gpu-instances':
    'GPU instances by the second: cards, counts, templates, disks, what each state costs, and their limits.',
  'serverless-functions':
    'Serverless GPU functions: what is planned, the settings, and what to use until they can be bought.',
  'cloud-storage':
    'Storage for GPU work: the disk of an instance, network volumes with snapshots, and object storage, which is planned.',
}

export const productPages: readonly Page[] = [
  {
    path: '/products',
    title: 'Products · Ingot',
    description:
      'GPU instances, network volumes, templates and usage data today; functions, object storage and more planned.',
    indexed: true,
    trail,
    component: ProductsPage,
  },
  ...Object.entries(productDetails).map(([slug, detail]): Page => ({
    path: `/products/${slug}`,
    title: `${detail.name} · Ingot`,
    description: descriptions[slug]!,
    indexed: true,
    trail: [...trail, { name: detail.name, path: `/products/${slug}` }],
    component: () => <ProductPage detail={detail} />,
  })),
  {
    path: '/products/404',
    notFoundFor: '/products',
    title: 'Product Not Found · Ingot',
    description: 'There is no product with this name.',
    indexed: false,
    component: () => (
      <NotFoundBody
        title="Product Not Found"
        text="There is no product with this name. The list has all of them, planned ones included."
        href="/products"
        label="Back to Products"
      />
    ),
  },
]
