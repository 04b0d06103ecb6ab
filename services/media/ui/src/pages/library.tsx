import { Button, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { EmptyState, formatCount, PageHeader, QueryState, useTableState } from '@hearth/ui'
import { IconBooks, IconFilterOff } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { CollectionChoice } from '../library/collections.tsx'
import { LibraryItems } from '../library/library-items.tsx'
import { isNarrowed, listOf, type LibraryFilter } from '../library/library-query.ts'
import { FilterPills, LibraryToolbar, type LibraryView } from '../library/library-toolbar.tsx'
import { SelectionBar } from '../library/selection-bar.tsx'
import { useCollections, useLibrary, useLibraryTags } from '../library/use-library.ts'
import { useSelection } from '../library/use-selection.ts'
import '../jobs/jobs.css'
import '../library/library.css'
import '../library/tags.css'

const filterNames = ['type', 'platform', 'tags', 'collection', 'bpm', 'keys', 'length'] as const

/** Tags that are offered beside the search. */
const offeredTags = 12

/** Library: everything that was downloaded, to be searched, tagged and collected. */
export function LibraryPage() {
  const state = useTableState(filterNames)
  const filter = useFilter(state)
  const change = (next: Record<string, string>) => {
    const { sort, ...filters } = next
    state.change({ ...(sort === undefined ? {} : { sort }), filter: filters })
  }
  const reset = () => state.change({ search: '', filter: Object.fromEntries(filterNames.map((name) => [name, ''])) })
  const [view, setView] = useLocalStorage<LibraryView>({ key: 'hearth-media-library-view', defaultValue: 'grid' })
  const library = useLibrary(filter)
  const collections = useCollections().data ?? []
  const collection = collections.find(({ id }) => id === filter.collection)
  const selection = useSelection(library.items)
  const isEmpty = library.data !== undefined && library.items.length === 0
  return (
    <>
      <PageHeader
        title="Library"
        actions={
          <CollectionChoice
            collections={collections}
            chosen={collection}
            onChange={(id) => change({ collection: id })}
          />
        }
      />
      {(!isEmpty || isNarrowed(filter)) && (
        <>
          <LibraryToolbar state={state} filter={filter} onChange={change} view={view} onView={setView} />
          <OfferedTags filter={filter} onChange={change} />
          <FilterPills filter={filter} onChange={change} />
        </>
      )}
      <QueryState query={library} lines={8} />
      {isEmpty && (isNarrowed(filter) ? <NothingFound onReset={reset} /> : <NothingYet />)}
      {library.items.length > 0 && (
        <LibraryItems items={library.items} view={view} chosen={selection.ids} onChoose={selection.choose} />
      )}
      {library.items.length > 0 && <Foot library={library} />}
      {selection.chosen.length > 0 && (
        <SelectionBar
          jobs={selection.chosen}
          collection={collection}
          onChooseAll={selection.chosen.length < library.items.length ? selection.chooseAll : undefined}
          onClear={selection.clear}
        />
      )}
    </>
  )
}

function useFilter({ search, sort, filters }: ReturnType<typeof useTableState>): LibraryFilter {
  const text = JSON.stringify({ search, sort, ...filters })
  // The same object as long as nothing changed.
  return useMemo(() => JSON.parse(text) as LibraryFilter, [text])
}

interface TagsProps {
  filter: LibraryFilter
  onChange: (change: Record<string, string>) => void
}

function OfferedTags({ filter, onChange }: TagsProps) {
  const chosen = listOf(filter.tags)
  const tags = (useLibraryTags().data ?? []).filter(({ tag }) => !chosen.includes(tag)).slice(0, offeredTags)
  if (tags.length === 0) return null
  return (
    <ul className="library-tags" aria-label="Tags to narrow by">
      {tags.map(({ tag, count }) => (
        <li key={tag}>
          <button
            type="button"
            className="tag"
            onClick={() => onChange({ tags: [...chosen, tag].join(',') })}
            aria-label={`Only with the tag ${tag}, ${count}`}
          >
            {tag} <span>{count}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Foot({ library }: { library: ReturnType<typeof useLibrary> }) {
  return (
    <div className="jobs-foot">
      {library.hasNextPage && (
        <Button variant="default" loading={library.isFetchingNextPage} onClick={() => void library.fetchNextPage()}>
          Show more
        </Button>
      )}
      <Text component="output" size="sm" c="dimmed">
        {library.isTotalExact
          ? formatCount(library.total, 'download')
          : `More than ${formatCount(library.total, 'download')}`}
      </Text>
    </div>
  )
}

function NothingFound({ onReset }: { onReset: () => void }) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title="Nothing fits"
      action={
        <Button variant="default" onClick={onReset}>
          Show everything
        </Button>
      }
    >
      Try fewer words or another filter.
    </EmptyState>
  )
}

function NothingYet() {
  return (
    <EmptyState
      icon={IconBooks}
      title="The library is empty"
      action={
        <Button component={Link} href="/">
          Go to downloads
        </Button>
      }
    >
      What you download is here as soon as it is finished.
    </EmptyState>
  )
}
