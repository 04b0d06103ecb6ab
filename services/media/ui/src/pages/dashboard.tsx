import { IconAction, PageHeader, useTableState } from '@hearth/ui'
import { IconKeyboard, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { keys, readPlatforms } from '../api.ts'
import type { JobFilter } from '../jobs/job-filter.ts'
import { JobList } from '../jobs/job-list.tsx'
import { ListToolbar } from '../jobs/list-toolbar.tsx'
import { showAnswer } from '../jobs/use-job-actions.ts'
import { listKeys } from '../jobs/use-list-keys.ts'
import { KeysHelp } from '../keyboard/keys.tsx'
import { OpenNotice } from '../session/open-notice.tsx'
import { SubmitCard } from '../submit/submit-card.tsx'

/** Loaded when it is opened: hardly anybody removes everything. */
const RemoveAll = lazy(async () => ({ default: (await import('../jobs/remove-all.tsx')).RemoveAll }))

/** Loaded when a platform refuses this server. */
const PausedPlatforms = lazy(async () => ({
  default: (await import('../platforms/paused-platforms.tsx')).PausedPlatforms,
}))

/** Dashboard: submit form and list of downloads. */
export function DashboardPage() {
  const cache = useQueryClient()
  const platforms = useQuery({ queryKey: keys.platforms, queryFn: readPlatforms })
  const isPaused = platforms.data?.some(({ pause }) => pause !== null) === true
  const field = useRef<HTMLTextAreaElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const [filter, setFilter] = useFilter()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  return (
    <>
      <PageHeader title="Downloads" actions={<PageButtons onOpen={setDialog} />} />
      <OpenNotice />
      <SubmitCard field={field} onAdded={(job) => showAnswer(cache, job, undefined)} />
      {isPaused && (
        <Suspense>
          <PausedPlatforms />
        </Suspense>
      )}
      <JobList
        toolbar={<ListToolbar filter={filter} onChange={setFilter} search={search} />}
        filter={filter}
        onReset={() => setFilter({ show: '', type: '', platform: '', search: '' })}
        field={field}
        search={search}
        onHelp={() => setDialog('keys')}
      />
      <KeysHelp opened={dialog === 'keys'} onClose={close} keys={listKeys} />
      <Suspense>{dialog === 'remove' && <RemoveAll onClose={close} />}</Suspense>
    </>
  )
}

type Dialog = 'keys' | 'remove'

function PageButtons({ onOpen }: { onOpen: (dialog: Dialog) => void }) {
  return (
    <>
      <IconAction
        icon={IconKeyboard}
        tip="Keys of this page (?)"
        label="Keys of this page"
        size={36}
        visibleFrom="sm"
        onClick={() => onOpen('keys')}
      />
      <IconAction icon={IconTrash} label="Remove all downloads" size={36} onClick={() => onOpen('remove')} />
    </>
  )
}

/** The filter in the address of the page. */
function useFilter(): [JobFilter, (next: Partial<JobFilter>) => void] {
  const state = useTableState(['show', 'type', 'platform', 'sort'])
  const { show = '', type = '', platform = '', sort = '' } = state.filters
  const { search } = state
  const filter = useMemo(() => ({ show, type, platform, sort, search }), [show, type, platform, sort, search])
  return [
    filter,
    ({ search: text, ...choices }) =>
      state.change({ ...(text === undefined ? {} : { search: text }), filter: choices }),
  ]
}
