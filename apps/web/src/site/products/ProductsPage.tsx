import type { Shown } from '@ingot/contracts/pages'
import { buttonClass } from '../../ui/button-class.ts'
import { formatHourly } from '../../ui/format.ts'
import { gpuNamed } from '../cost-of.ts'
import { FilterTabs } from '../parts/FilterTabs.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Availability } from '../parts/Planned.tsx'
import { PriceRows } from '../parts/PriceRows.tsx'
import { WaitlistForm } from '../parts/WaitlistForm.tsx'
import { useShown, wordsOf } from '../shown.ts'
import { type Product, productCategories, productPath, products } from './products.ts'

function pricesOf(shown: Shown) {
  const charged = (name: string) => formatHourly(gpuNamed(shown, name).hourly_price)
  return [
    { name: 'RTX 4090', advertised: '$1.50/h', charged: charged('RTX 4090') },
    { name: 'A100', advertised: '$3.20/h', charged: `${charged('A100 40GB')} or ${charged('A100 80GB')}` },
    { name: 'H100', advertised: '$8.50/h', charged: charged('H100') },
  ]
}

export function ProductsPage() {
  const shown = useShown()
  return (
    <Frame>
      <PageHead
        title="Products"
        lead="What you can rent today, what there is in part, and what is planned. Each line says which of the three it is."
        aside={
          <div>
            <PriceRows caption="GPU prices, advertised and charged" rows={pricesOf(shown)} />
            <p className="pt-2 text-label text-muted">
              Advertised is the list price of the marketing text, for one GPU. What an account is charged
              comes from the catalogue, and{' '}
              <a href="/pricing" className="link">
                Pricing
              </a>{' '}
              has all of it.
            </p>
          </div>
        }
      />
      <FilterTabs label="Product categories" tabs={productCategories} />
      <div id="all" className="pb-16">
        {productCategories.map(category => (
          <section
            key={category.id}
            id={category.id}
            data-category={category.id}
            aria-labelledby={`${category.id}-title`}
            className="grid gap-x-12 border-b border-line py-8 lg:grid-cols-4"
          >
            <h2 id={`${category.id}-title`} className="pb-4 text-heading text-muted">
              {category.label}
            </h2>
            <div className="flex flex-col gap-8 lg:col-span-3">
              {products
                .filter(product => product.category === category.id)
                .map(product => (
                  <ProductRow key={product.name} product={product} />
                ))}
            </div>
          </section>
        ))}
      </div>
    </Frame>
  )
}

function ProductRow({ product }: { readonly product: Product }) {
  const { name, state, advertised, waitlist, waitsFor, hasPage, docs } = product
  const shown = useShown()
  const facts = product.facts.map(fact => wordsOf(fact, shown))
  const charged = product.charged && wordsOf(product.charged, shown)
  return (
    <article className="grid gap-x-12 gap-y-4 lg:grid-cols-3">
      <div className="lg:col-span-2">
        <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
          <h3 className="text-title">{name}</h3>
          <Availability state={state} />
        </div>
        <p className="mt-2 max-w-prose text-prose">{wordsOf(product.text, shown)}</p>
        <ul className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-muted">
          {facts.map(fact => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
        {waitlist && (
          <details className="mt-3">
            <summary className="w-fit py-1 font-medium text-link hover:text-link-hover">
              Join the waiting list
            </summary>
            <div className="max-w-prose pt-3">
              <WaitlistForm product={waitlist} name={waitsFor ?? name} />
            </div>
          </details>
        )}
      </div>
      <div className="flex flex-col gap-3 lg:items-end lg:text-right">
        <div className="tabular-nums">
          {charged && <p className="font-semi">{charged[0]!.toUpperCase() + charged.slice(1)}</p>}
          {advertised && <p className="text-muted">{advertised}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          {hasPage && (
            <a href={productPath(product)} className={buttonClass('secondary')}>
              Learn more<span className="sr-only"> about {name}</span>
            </a>
          )}
          {docs && !hasPage && (
            <a href={docs} aria-label={`Documentation of ${name}`} className={buttonClass('secondary')}>
              Documentation
            </a>
          )}
          {state === 'available' && (
            <a
              href="/get-started"
              aria-label={`Get started with ${name}`}
              className={buttonClass('secondary')}
            >
              Get started
            </a>
          )}
        </div>
      </div>
    </article>
  )
}
