import { ActionIcon, Tooltip } from '@mantine/core'
import { PageHeader, useTableState } from '@hearth/ui'
import { IconKeyboard, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { JobFilter } from '../jobs/job-filter.ts'
import { JobList } from '../jobs/job-list.tsx'
import { ListToolbar } from '../jobs/list-toolbar.tsx'
import { RemoveAll } from '../jobs/remove-all.tsx'
import { showAnswer } from '../jobs/use-job-actions.ts'
import { listKeys } from '../jobs/use-list-keys.ts'
import { KeysHelp } from '../keyboard/keys-help.tsx'
import { OpenNotice } from '../session/open-notice.tsx'
import { SubmitCard } from '../submit/submit-card.tsx'

/** Where addresses go in, and everything that was asked for. */
export function DashboardPage() {
  const cache = useQueryClient()
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
      <JobList
        toolbar={<ListToolbar filter={filter} onChange={setFilter} search={search} />}
        filter={filter}
        onReset={() => setFilter({ show: '', type: '', platform: '', search: '' })}
        field={field}
        search={search}
        onHelp={() => setDialog('keys')}
      />
      <KeysHelp opened={dialog === 'keys'} onClose={close} keys={listKeys} />
      <RemoveAll opened={dialog === 'remove'} onClose={close} />
    </>
  )
}

type Dialog = 'keys' | 'remove'

function PageButtons({ onOpen }: { onOpen: (dialog: Dialog) => void }) {
  return (
    <>
      <Tooltip label="Keys of this page (?)">
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Keys of this page"
          visibleFrom="sm"
          onClick={() => onOpen('keys')}
        >
          <IconKeyboard size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Remove all downloads">
        <ActionIcon variant="default" size={36} aria-label="Remove all downloads" onClick={() => onOpen('remove')}>
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </>
  )
}

/** The filter in the address of the page. */
function useFilter(): [JobFilter, (next: Partial<JobFilter>) => void] {
  const state = useTableState(['show', 'type', 'platform'])
  const { show = '', type = '', platform = '' } = state.filters
  const { search } = state
  const filter = useMemo(() => ({ show, type, platform, search }), [show, type, platform, search])
  return [
    filter,
    ({ search: text, ...choices }) =>
      state.change({ ...(text === undefined ? {} : { search: text }), filter: choices }),
  ]
}
