import { Text } from '@mantine/core'
import { answer, QueryState, RelativeTime, Section, StatusBadge, useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { api, keys } from '../api.ts'
import { byUrgency } from '../certificates/certificate-words.ts'
import { CertificateBadge } from '../certificates/host-columns.tsx'
import { useCertificates } from '../certificates/read-certificates.ts'
import { readRevisions } from '../revisions/read-revisions.ts'
import { OutcomeBadge } from '../revisions/revision-columns.tsx'
import { causeText, changedText } from '../revisions/revision-words.ts'
import { nodeStates } from '../servers/node-words.ts'
import { failureText, useUpstreams } from '../sites/upstreams.ts'
import { readSite } from '../sites/read-sites.ts'
import './dashboard.css'

const few = 5

/** Certificates that need somebody. */
export function CertificateList() {
  const { data, error, refetch } = useCertificates()
  const rows = data?.certificates.filter(({ state }) => state !== 'valid')
  return (
    <CardList
      title="Certificates that need attention"
      more={{ href: '/certificates', text: 'All certificates' }}
      answer={{ data: rows === undefined ? undefined : byUrgency(rows).slice(0, few), error, refetch }}
      rowKey={({ host }) => host}
      empty={data?.certificates.length === 0 ? 'No host has TLS yet.' : 'All certificates are valid.'}
      render={(certificate) => (
        <>
          <span className="hearth-name">
            {certificate.host}
            <small>{certificate.message}</small>
          </span>
          <CertificateBadge certificate={certificate} />
        </>
      )}
    />
  )
}

/** Upstreams that do not answer. */
export function UpstreamList() {
  const { data, error, refetch } = useUpstreams()
  const down = data?.filter(({ up }) => up === false)
  return (
    <CardList
      title="Upstreams that do not answer"
      more={{ href: '/sites', text: 'All sites' }}
      answer={{ data: down?.slice(0, few), error, refetch }}
      rowKey={({ address }) => address}
      empty={data?.length === 0 ? 'No site has an upstream yet.' : 'All upstreams answer.'}
      render={({ address, reason, site_ids: ids }) => (
        <>
          <span>
            <span className="hearth-mono">{address}</span>
            <small>{failureText(reason)}</small>
          </span>
          <span>{ids[0] === undefined ? null : <SiteName id={ids[0]} />}</span>
        </>
      )}
    />
  )
}

/** The Caddy servers and how they are. */
export function NodeList() {
  const nodes = useQuery({ queryKey: keys.nodes, queryFn: () => answer(api.GET('/api/nodes')) })
  return (
    <CardList
      title="Caddy"
      more={{ href: '/servers', text: 'Caddy servers' }}
      answer={nodes}
      rowKey={({ id }) => String(id)}
      empty="There is no server yet."
      render={({ name, version, state, checked_at: at }) => (
        <>
          <span className="hearth-name">
            {name}
            <small>
              {version === null ? 'Version not known' : `Version ${version}`}, checked <RelativeTime value={at} />
            </small>
          </span>
          <StatusBadge tone={nodeStates[state].tone}>{nodeStates[state].text}</StatusBadge>
        </>
      )}
    />
  )
}

const last = { limit: few, offset: 0 }

/** The latest revisions. */
export function RevisionList() {
  const revisions = useQuery({ queryKey: [...keys.revisions, 'list', last], queryFn: () => readRevisions(last) })
  return (
    <CardList
      title="Last changes"
      more={{ href: '/revisions', text: 'All revisions' }}
      answer={{ data: revisions.data?.rows, error: revisions.error, refetch: () => revisions.refetch() }}
      rowKey={({ id }) => String(id)}
      empty="Nothing was applied yet."
      render={(revision) => (
        <>
          <span>
            <Link href={`/revisions/${revision.id}`} className="hearth-name">
              {causeText(revision.cause)}
            </Link>
            <small>
              {changedText(revision)}, by {revision.author}, <RelativeTime value={revision.created_at} />
            </small>
          </span>
          <OutcomeBadge revision={revision} />
        </>
      )}
    />
  )
}

interface Answer<Row> {
  readonly data: readonly Row[] | undefined
  readonly error: unknown
  refetch(): unknown
}

interface CardListProps<Row> {
  title: string
  /** Link to the whole list. */
  more: { href: string; text: string }
  answer: Answer<Row>
  rowKey: (row: Row) => string
  render: (row: Row) => ReactNode
  /** Text of the empty list. */
  empty: ReactNode
}

/** The first few of something, with the way to all of them. */
function CardList<Row>({ title, more, answer, rowKey, render, empty }: CardListProps<Row>) {
  const { data } = answer
  return (
    <Section
      title={title}
      actions={
        <Link href={more.href} className="hearth-link">
          {more.text}
        </Link>
      }
    >
      <QueryState query={answer} lines={3} />
      {data?.length === 0 && (
        <Text c="dimmed" size="sm">
          {empty}
        </Text>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="dashboard-list">
          {data.map((row) => (
            <li key={rowKey(row)}>{render(row)}</li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** The name of a site as a link to it; its number for who may not read sites, and for one that is gone. */
export function SiteName({ id }: { id: number }) {
  const { isAdmin } = useSession()
  const { data } = useQuery({
    // Not below `sites`: a burst of edits must not read ten sites again for their names.
    queryKey: [...keys.traffic, 'site name', id],
    queryFn: async () => (await readSite(id)).site_name,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isAdmin,
  })
  if (!isAdmin) return <>Site {id}</>
  return (
    <Link href={`/sites/${id}?tab=traffic`} className="hearth-name">
      {data ?? `Site ${id}`}
    </Link>
  )
}
