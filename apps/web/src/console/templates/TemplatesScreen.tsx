import { templateCategories } from '@ingot/contracts/templates'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { templatesQuery } from './queries.ts'
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

const categoryOptions = templateCategories.map(value => ({ value, label: value }))
const grid = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3'

/** What an instance starts from. */
export function TemplatesScreen() {
  const [address, change] = useSearchState()
  const filter = readTemplateSearch(address)
  const templates = useQuery(templatesQuery)
  const shown = filterTemplates(templates.data?.items ?? [], filter.search, filter.category)
  const viewed = templates.data?.items.find(template => template.id === filter.view)
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        lead="A system with its tools installed. Pick one, then choose the GPU."
        actions={
          <Button disabledReason="Templates of your own are not built yet. Deploy one of these and install the rest in its terminal.">
            Create Template
          </Button>
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
        isEmpty={shown.length === 0}
        // The service always has templates: only a filter leaves none.
        isFiltered
        noMatch={
          <NoMatch title="No templates match." onClear={() => change({ search: '', category: '' })}>
            Ubuntu 22.04 + CUDA is a clean system on which anything can be installed.
          </NoMatch>
        }
      >
        <ul className={grid}>
          {shown.map(template => (
            <TemplateCard
              key={template.id}
              template={template}
              onView={() => change({ view: template.id }, { step: true })}
            />
          ))}
        </ul>
      </ListFrame>
      <TemplateDialog template={viewed} onClose={() => change({ view: '' })} />
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
