import { DataTable, EmptyState, tableAnswer } from '@hearth/ui'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../api.ts'
import { readRevisions, type Revision } from '../revisions/read-revisions.ts'
import { revisionColumns } from '../revisions/revision-columns.tsx'

/** The latest two hundred revisions. */
const query = { limit: 200, offset: 0 }

/** The revisions that changed a site, among the last two hundred. */
export function SiteHistory({ id }: { id: number }) {
  const revisions = useQuery({ queryKey: [...keys.revisions, 'list', query], queryFn: () => readRevisions(query) })
  const rows = revisions.data?.rows.filter((revision) => touches(revision, id))
  return (
    <DataTable
      label="History of the site"
      columns={revisionColumns.filter(({ key }) => key !== 'sites')}
      rowKey={(revision) => String(revision.id)}
      answer={tableAnswer(revisions, rows)}
      empty={
        <EmptyState icon={IconHistory} title="No change of this site is among the last ones">
          Older ones may be on the page Revisions.
        </EmptyState>
      }
    />
  )
}

const touches = ({ sites }: Revision, id: number): boolean => sites.some(({ site_id: siteId }) => siteId === id)
