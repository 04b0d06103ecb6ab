import { type Column, RelativeTime, StatusBadge } from '@hearth/ui'
import { Link } from 'wouter'
import type { Revision } from './read-revisions.ts'
import { causeText, changedText, durationText, outcomeOf } from './revision-words.ts'

/** The columns of a table of revisions. */
export const revisionColumns: Column<Revision>[] = [
  {
    key: 'id',
    header: 'Revision',
    role: 'title',
    render: (revision) => (
      <span className="revision-name">
        <Link href={`/revisions/${revision.id}`} className="hearth-name">
          #{revision.id}
        </Link>
        {revision.is_current && <StatusBadge tone="accent">Runs now</StatusBadge>}
      </span>
    ),
  },
  { key: 'when', header: 'When', render: (revision) => <RelativeTime value={revision.created_at} /> },
  { key: 'author', header: 'Who', render: (revision) => revision.author },
  { key: 'cause', header: 'Why', render: (revision) => causeText(revision.cause) },
  {
    key: 'sites',
    header: 'Changed sites',
    render: (revision) => <span className="revision-sites">{changedText(revision)}</span>,
  },
  { key: 'outcome', header: 'Outcome', render: (revision) => <OutcomeBadge revision={revision} /> },
  {
    key: 'duration',
    header: 'Took',
    numeric: true,
    render: (revision) => durationText(revision.duration_ms),
  },
]

/** The outcome of a revision. */
export function OutcomeBadge({ revision }: { revision: Pick<Revision, 'outcome'> }) {
  const { tone, text } = outcomeOf(revision)
  return <StatusBadge tone={tone}>{text}</StatusBadge>
}
