import { Fact, formatCount, formatBytes } from '@hearth/ui'
import { formatTimestamp } from '@hearth/ui/format-time'
import type { ReactNode } from 'react'
import type { Hint } from '../api.ts'
import { providerText, shareText } from './hint-words.ts'

type Evidence = Hint['evidence']
type Of<Kind extends Evidence['kind']> = Extract<Evidence, { kind: Kind }>

/** What a hint rests on. */
export function HintEvidence({ evidence }: { evidence: Evidence }) {
  switch (evidence.kind) {
    case 'two_places':
      return <TwoPlaces evidence={evidence} />
    case 'new_country':
      return <NewCountry evidence={evidence} />
    case 'tunnelling':
      return <Tunnelling evidence={evidence} />
    case 'list_surge':
      return <ListSurge evidence={evidence} />
  }
}

const time = (value: string) => <time dateTime={value}>{formatTimestamp(new Date(value))}</time>
const times = (value: string | null) => (value === null ? 'none' : time(value))

/** A small table; wide ones scroll. */
function EvidenceTable(props: { label: string; heads: readonly string[]; rows: readonly (readonly ReactNode[])[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
    <section className="hint-table" tabIndex={0} aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((cells, row) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows never move
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={props.heads[column]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function TwoPlaces({ evidence }: { evidence: Of<'two_places'> }) {
  return (
    <>
      <dl className="hint-facts">
        <Fact name="Returns with a new handshake">{evidence.returns} within an hour</Fact>
        {evidence.distance_km !== null && <Fact name="Distance">{evidence.distance_km.toLocaleString('en')} km</Fact>}
      </dl>
      <EvidenceTable
        label="Addresses of the peer"
        heads={['Seen', 'Address', 'Country', 'Provider', 'Handshake']}
        rows={evidence.sightings.map((seen) => [
          time(seen.at),
          <code key="address">{seen.address}</code>,
          seen.country ?? 'not known',
          providerText(seen) || 'not known',
          times(seen.handshake_at),
        ])}
      />
    </>
  )
}

function NewCountry({ evidence }: { evidence: Of<'new_country'> }) {
  const { known } = evidence
  return (
    <>
      <dl className="hint-facts">
        <Fact name="Until now">{known.map(({ country }) => country).join(', ')}</Fact>
        <Fact name="Known since">{time(evidence.known_since)}</Fact>
      </dl>
      <EvidenceTable
        label="New countries of the peer"
        heads={['Seen', 'Country', 'Address', 'Provider']}
        rows={evidence.new.map((seen) => [
          time(seen.at),
          seen.country ?? 'not known',
          <code key="address">{seen.address}</code>,
          providerText(seen) || 'not known',
        ])}
      />
    </>
  )
}

function Tunnelling({ evidence }: { evidence: Of<'tunnelling'> }) {
  const { from, to, queries, names, domain, examples } = evidence
  return (
    <>
      <dl className="hint-facts">
        <Fact name="Domain">{domain}</Fact>
        <Fact name="Queries">
          {formatCount(queries, 'query', 'queries')}, about {formatCount(names, 'different name')}
        </Fact>
        <Fact name="Time">
          {time(from)} to {time(to)}
        </Fact>
        <Fact name="Length of names">
          {evidence.mean_length} characters on average, longest label {evidence.max_label}
        </Fact>
        <Fact name="Randomness">{evidence.entropy} bits per character</Fact>
        <Fact name="Names that do not exist">{shareText(evidence.nxdomain_share)}</Fact>
        <Fact name="Carries up to">{formatBytes(evidence.bytes_per_minute)} per minute</Fact>
        <Fact name="Types">{evidence.types.map(({ type, count }) => `${type} ${count}`).join(', ')}</Fact>
      </dl>
      <p className="hint-caption">For example</p>
      <ul className="hint-names" aria-label="Example names">
        {examples.map((name) => (
          <li key={name}>
            <code>
              {name}.<b>{domain}</b>
            </code>
          </li>
        ))}
      </ul>
    </>
  )
}

function ListSurge({ evidence }: { evidence: Of<'list_surge'> }) {
  return (
    <>
      <dl className="hint-facts">
        <Fact name="Blocked in the hour">{evidence.count.toLocaleString('en')}</Fact>
        <Fact name="Usual">
          {Math.round(evidence.usual).toLocaleString('en')} per hour in the last {formatCount(evidence.days, 'day')}
        </Fact>
        <Fact name="Hour from">{time(evidence.hour)}</Fact>
        <Fact name="List last changed">
          {evidence.list_updated_at === null ? 'never' : time(evidence.list_updated_at)}
          {evidence.after_update && ', shortly before'}
        </Fact>
        <Fact name="Names on the list">{evidence.list_entries.toLocaleString('en')}</Fact>
      </dl>
      {evidence.names.length > 0 && (
        <EvidenceTable
          label="Names blocked most"
          heads={['Name', 'Counted']}
          rows={evidence.names.map(({ domain, count }) => [<code key="name">{domain}</code>, count])}
        />
      )}
    </>
  )
}
