import { type Template, templateCategories } from '@ingot/contracts/templates'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { templatesQuery } from '../shell/api.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import { useSearchState } from '../list/search-state.ts'
import { TemplateCard } from './TemplateCard.tsx'
import { TemplateDialog } from './TemplateDialog.tsx'
import { matchTemplates, readTemplateSearch } from './template-search.ts'

const all = 'All'
const categoryOptions = [all, ...templateCategories].map(value => ({ value, label: value }))
const grid = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3'

/** What an instance starts from. */
export function TemplatesScreen() {
  const [address, change] = useSearchState()
  const filter = readTemplateSearch(address)
  const templates = useQuery(templatesQuery)
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
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox label="Search templates" value={filter.search} onChange={search => change({ search })} />
        <Select
          aria-label="Category"
          prefix="Category"
          options={categoryOptions}
          value={filter.category ?? all}
          onValueChange={category => change({ category: category === all ? '' : category })}
        />
      </div>
      <QueryView
        query={templates}
        failed="The templates could not be loaded"
        consequence="Your instances are not affected."
        skeleton={<CardSkeletons />}
      >
        {({ items }) => (
          <Cards
            templates={matchTemplates(items, filter)}
            onView={view => change({ view }, { step: true })}
            onClear={() => change({ search: '', category: '' })}
          />
        )}
      </QueryView>
      <TemplateDialog template={viewed} onClose={() => change({ view: '' })} />
    </div>
  )
}

interface CardsProps {
  readonly templates: readonly Template[]
  readonly onView: (id: string) => void
  readonly onClear: () => void
}

function Cards({ templates, onView, onClear }: CardsProps) {
  if (templates.length === 0)
    return (
      <EmptyState title="No templates match." action={<Button onClick={onClear}>Clear filters</Button>}>
        Ubuntu 22.04 + CUDA is a clean system on which anything can be installed.
      </EmptyState>
    )
  return (
    <ul className={grid}>
      {templates.map(template => (
        <TemplateCard key={template.id} template={template} onView={() => onView(template.id)} />
      ))}
    </ul>
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
