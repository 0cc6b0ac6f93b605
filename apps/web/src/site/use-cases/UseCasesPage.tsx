import { buttonClass } from '../../ui/button-class.ts'
import { Money } from '../../ui/Money.tsx'
import { FilterTabs } from '../parts/FilterTabs.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { useShown } from '../shown.ts'
import { machineName, type UseCase, fieldsOfUse, hourlyOfCase, pathOfCase, cases } from './use-cases.ts'

export function UseCasesPage() {
  return (
    <Frame>
      <PageHead
        title="Use Cases"
        lead="What people rent GPUs for, the machine we would start with, and what an hour of it costs. Three have a page with a working example; the others will."
      />
      <FilterTabs label="Fields" tabs={fieldsOfUse} />
      <div id="all" className="pb-16">
        {fieldsOfUse.map(category => (
          <section
            key={category.id}
            id={category.id}
            data-category={category.id}
            aria-labelledby={`${category.id}-title`}
            className="grid gap-x-12 border-b border-line py-6 lg:grid-cols-4"
          >
            <h2 id={`${category.id}-title`} className="pb-3 text-heading text-muted">
              {category.label}
            </h2>
            <div className="flex flex-col gap-8 lg:col-span-3">
              {cases
                .filter(useCase => useCase.category === category.id)
                .map(useCase => (
                  <UseCaseRow key={useCase.title} useCase={useCase} />
                ))}
            </div>
          </section>
        ))}
      </div>
    </Frame>
  )
}

function UseCaseRow({ useCase }: { readonly useCase: UseCase }) {
  const { title, text, why, hasPage } = useCase
  const shown = useShown()
  return (
    <article className="grid gap-x-12 gap-y-3 lg:grid-cols-5">
      <div className="lg:col-span-3">
        <h3 className="text-title">{title}</h3>
        <p className="mt-1 max-w-prose text-prose">{text}</p>
        {hasPage ? (
          <a
            href={pathOfCase(useCase)}
            aria-label={`Explore ${title}`}
            className={`${buttonClass('secondary')} mt-3`}
          >
            Explore
          </a>
        ) : (
          <p className="mt-2 text-label text-muted">Coming</p>
        )}
      </div>
      <div className="lg:col-span-2 lg:border-l lg:border-line lg:pl-6">
        <p className="flex flex-wrap justify-between gap-x-4 font-semi tabular-nums">
          <span>{machineName(shown, useCase)}</span>
          <Money value={hourlyOfCase(shown, useCase)} per="h" />
        </p>
        <p className="mt-1 text-muted">{why}</p>
      </div>
    </article>
  )
}
