import { type Template, templateCategories } from '@ingot/contracts/templates'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { CopyCurlButton } from '../shell/CopyCurlButton.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { NoMatch } from '../list/NoMatch.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import { useSearchState } from '../list/search-state.ts'
import { TemplateCard } from './TemplateCard.tsx'
import { TemplateDialog } from './TemplateDialog.tsx'
import { filterTemplates } from './template-filter.ts'
import { readTemplateSearch } from './template-search.ts'
import { templateCalls } from './template-text.ts'
import { useTemplates } from './use-templates.ts'

const TemplateFormDialog = lazy(() => import('./TemplateFormDialog.tsx'))

const categoryOptions = templateCategories.map(value => ({ value, label: value }))
const grid = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3'

/** What an instance starts from: one's own, then everybody's. */
export function TemplatesScreen() {
  const [address, change] = useSearchState()
  const filter = readTemplateSearch(address)
  const templates = useTemplates()
  const [isCreating, setCreating] = useState(false)
  const narrowed = (all: readonly Template[] = []) => filterTemplates(all, filter.search, filter.category)
  const shown = { mine: narrowed(templates.data?.mine), open: narrowed(templates.data?.open) }
  const hasOwn = templates.data !== undefined && templates.data.mine.length > 0
  const isFiltered = Boolean(filter.search || filter.category)
  const view = (id: string) => change({ view: id }, { step: true })
  const cards = (some: readonly Template[]) => (
    <ul className={grid}>
      {some.map(template => (
        <TemplateCard key={template.id} template={template} onView={() => view(template.id)} />
      ))}
    </ul>
  )
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        lead="A system with its tools installed. Pick one, then choose the GPU."
        actions={
          <>
            <CopyCurlButton text={templateCalls(hasOwn ? 'mine' : 'list', {})[0].text} />
            <Button variant="primary" onClick={() => setCreating(true)}>
              Create Template
            </Button>
          </>
        }
      >
        Templates
      </PageHeading>
      <ListFrame
        filters={
          <>
            <SearchBox
              label="Search templates"
              value={filter.search}
              onChange={search => change({ search })}
            />
            <FilterSelect
              label="Category"
              any="All"
              options={categoryOptions}
              value={filter.category}
              onChange={category => change({ category })}
            />
          </>
        }
        query={templates}
        failed="The templates could not be loaded"
        consequence="Your instances are not affected."
        skeleton={<CardSkeletons />}
        isEmpty={shown.mine.length + shown.open.length === 0}
        // The service always has templates: only a filter leaves none.
        isFiltered
        noMatch={
          <NoMatch title="No templates match." onClear={() => change({ search: '', category: '' })}>
            Ubuntu 22.04 + CUDA is a clean system on which anything can be installed.
          </NoMatch>
        }
      >
        <div className="flex flex-col gap-8">
          {(shown.mine.length > 0 || !isFiltered) && (
            <section aria-labelledby="my-templates" className="flex flex-col gap-3">
              <h2 id="my-templates" className="text-heading">
                My Templates
              </h2>
              {shown.mine.length > 0 ? (
                cards(shown.mine)
              ) : (
                <EmptyState title="You have no templates of your own.">
                  One names your image, its variables and secrets, and what it starts. Create Template makes
                  one.
                </EmptyState>
              )}
            </section>
          )}
          {shown.open.length > 0 && (
            <section aria-labelledby="built-in-templates" className="flex flex-col gap-3">
              <h2 id="built-in-templates" className="text-heading">
                For everybody
              </h2>
              {cards(shown.open)}
            </section>
          )}
        </div>
      </ListFrame>
      {filter.view && (
        <TemplateDialog
          key={filter.view}
          id={filter.view}
          shareKey={filter.key}
          onClose={() => change({ view: '', key: '' })}
        />
      )}
      {isCreating && (
        <Suspense>
          <TemplateFormDialog onClose={() => setCreating(false)} onSaved={view} />
        </Suspense>
      )}
    </div>
  )
}

function CardSkeletons() {
  return (
    <div aria-busy className={grid}>
      {Array.from({ length: 6 }, (_, card) => (
        <div key={card} className="flex flex-col gap-4 rounded-panel border border-line bg-raised p-4">
          <Skeleton className="w-1/2" />
          <Skeleton />
          <Skeleton className="w-1/4" />
        </div>
      ))}
    </div>
  )
}
