import { Text } from '@mantine/core'
import { type Column, DataTable, EmptyState, Section, StatusBadge } from '@hearth/ui'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { ImportAnswer, ImportedSite, ReportItem } from '../api.ts'
import { outcomeWords, siteWords } from './import-words.ts'

/** The result of an import or of its preview. */
export function ImportOutcome({ answer }: { answer: ImportAnswer }) {
  return (
    <>
      <DataTable
        label="Sites found"
        columns={columns}
        rowKey={(site) => site.path}
        dimmed={(site) => !site.enabled}
        answer={{ rows: answer.sites, total: answer.sites.length, error: null, retry: () => undefined }}
        empty={
          <EmptyState icon={IconMapQuestion} title="No sites were found">
            What you gave can be read, but has no hosts that could become sites. The notes below may say why.
          </EmptyState>
        }
      />
      {answer.report.length > 0 && <Report items={answer.report} />}
    </>
  )
}

const columns: Column<ImportedSite>[] = [
  { key: 'name', header: 'Name', role: 'title', render: (site) => <SiteName site={site} /> },
  {
    key: 'domains',
    header: 'Domains',
    render: ({ domains }) => (
      <span className="hearth-mono">
        {domains.slice(0, 3).join(', ')}
        {domains.length > 3 && ` and ${domains.length - 3} more`}
      </span>
    ),
  },
  { key: 'kind', header: 'Kind', render: ({ kind, enabled }) => (enabled ? kind : `${kind}, switched off`) },
  {
    key: 'status',
    header: 'Outcome',
    render: ({ status, problems }) => (
      <>
        <StatusBadge tone={siteWords[status].tone}>{siteWords[status].text}</StatusBadge>
        {problems.map(({ field, message }) => (
          <Text key={`${field} ${message}`} size="sm">
            {field} {message}
          </Text>
        ))}
      </>
    ),
  },
]

function SiteName({ site }: { site: ImportedSite }) {
  const name =
    site.site_id === null ? (
      <span className="hearth-name">{site.site_name}</span>
    ) : (
      <Link className="hearth-name" href={`/sites/${site.site_id}`}>
        {site.site_name}
      </Link>
    )
  if (site.renamed_from === null) return name
  return (
    <>
      {name}
      <Text size="sm" c="dimmed">
        The name {site.renamed_from} is taken
      </Text>
    </>
  )
}

function Report({ items }: { items: readonly ReportItem[] }) {
  return (
    <Section title="What is not taken over as it is">
      <ul className="left-out import-report">
        {items.map(({ path, what, outcome, site }) => (
          <li key={`${path} ${what} ${site ?? ''}`}>
            <StatusBadge tone={outcomeWords[outcome].tone}>{outcomeWords[outcome].text}</StatusBadge>
            <div>
              <p>{what}</p>
              <p className="hearth-dimmed">
                {site !== null && `${site}, `}
                <span className="hearth-mono">{path}</span>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  )
}
