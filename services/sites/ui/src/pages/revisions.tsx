import { DataTable, EmptyState, PageHeader, tableAnswer, useTableState } from '@hearth/ui'
import { IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { keys } from '../api.ts'
import { StateBanners } from '../drift/state-banners.tsx'
import { readRevisions, revisionsPerPage } from '../revisions/read-revisions.ts'
import { revisionColumns } from '../revisions/revision-columns.tsx'

/** All revisions, newest first. */
export function RevisionsPage() {
  const state = useTableState()
  const query = { limit: revisionsPerPage, offset: (state.page - 1) * revisionsPerPage }
  const revisions = useQuery({
    queryKey: [...keys.revisions, 'list', query],
    queryFn: () => readRevisions(query),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader
        title="Revisions"
        description="Every change of what Caddy runs. Each can be looked into, and returned to."
      />
      <StateBanners />
      <DataTable
        label="Revisions"
        columns={revisionColumns}
        state={state}
        pageSize={revisionsPerPage}
        rowKey={(revision) => String(revision.id)}
        answer={tableAnswer(revisions, revisions.data?.rows, revisions.data?.total ?? 0)}
        empty={
          <EmptyState icon={IconHistory} title="Nothing was applied yet">
            The first site makes the first revision.
          </EmptyState>
        }
      />
    </>
  )
}
