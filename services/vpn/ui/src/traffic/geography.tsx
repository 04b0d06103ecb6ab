import { Alert, Button, NativeSelect, SegmentedControl, Table, Text } from '@mantine/core'
import { EmptyState, formatBytes, formatDay, QueryState, useSession } from '@hearth/ui'
import { IconInfoCircle, IconMapOff, IconWorld } from '@tabler/icons-react'
import { Link, useSearchParams } from 'wouter'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type CountryTraffic, type GeoQuery, keys, type NetworkTraffic } from '../api.ts'
import { PeerFilter } from '../peers/peer-picker.tsx'
import { TrafficFrame } from './traffic-history.tsx'

/** The stretches of time in which places are counted. */
const stretches = [
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
  { value: '8760', label: 'Last year' },
]

interface GeographyPageProps<Of> {
  title: 'Countries' | 'Networks'
  read: (query: GeoQuery) => Promise<Of>
  /** Shows what was counted. */
  children: (of: Of) => ReactNode
}

/** Frame of the pages with traffic by place: filters, why nothing is counted, and the databases that know the places. */
export function GeographyPage<Of extends CountryTraffic | NetworkTraffic>(props: GeographyPageProps<Of>) {
  const { title, read, children } = props
  const { query, change } = useGeoQuery()
  const places = useQuery({
    queryKey: [...keys.geography, title, query],
    queryFn: () => read(query),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  const of = places.data
  return (
    <TrafficFrame description={`${title} that peers connect from, and where their traffic goes.`}>
      <GeoControls query={query} change={change} />
      <QueryState query={places} lines={8} />
      {of?.items.length === 0 && <NoPlaces of={of} what={title} />}
      {of !== undefined && of.items.length > 0 && (
        <div className="hearth-stack">
          <GeoNotice of={of} />
          {children(of)}
          <DatabaseFoot databases={of.databases} />
        </div>
      )}
    </TrafficFrame>
  )
}

/** Query of the geography pages; it stands in the URL. */
function useGeoQuery(): { query: Required<Pick<GeoQuery, 'by' | 'hours'>> & GeoQuery; change: Change } {
  const [params, setParams] = useSearchParams()
  const by = params.get('by') === 'destination' ? 'destination' : 'endpoint'
  const hours = stretches.find(({ value }) => value === params.get('hours'))?.value ?? '168'
  const peer = params.get('peer') ?? ''
  return {
    query: { by, hours: Number(hours), ...(peer === '' ? {} : { peer }) },
    change: (name, value) =>
      setParams(
        (present) => {
          const next = new URLSearchParams(present)
          if (value === '') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true },
      ),
  }
}

type Change = (name: 'by' | 'hours' | 'peer', value: string) => void

/** Controls for the end of the traffic, the period and the peer. */
function GeoControls({ query, change }: ReturnType<typeof useGeoQuery>) {
  const { isAdmin } = useSession()
  return (
    <search className="hearth-toolbar geo-controls">
      <SegmentedControl
        aria-label="Which end"
        value={query.by}
        onChange={(value) => change('by', value)}
        data={[
          { value: 'endpoint', label: 'Where peers are' },
          { value: 'destination', label: 'Where traffic goes' },
        ]}
      />
      <NativeSelect
        aria-label="Time"
        value={String(query.hours)}
        onChange={(event) => change('hours', event.currentTarget.value)}
        data={stretches}
      />
      {isAdmin && (
        <PeerFilter value={query.peer ?? ''} placeholder="All peers" onChange={(name) => change('peer', name)} />
      )}
    </search>
  )
}

/** Notice that says why places are not counted, and what to do about it. */
function GeoNotice({ of }: { of: Pick<CountryTraffic, 'available' | 'reason' | 'databases' | 'by'> }) {
  if (of.reason === null) return null
  return (
    <Alert
      role="note"
      color={of.available ? 'gray' : 'yellow'}
      className="backend-banner"
      icon={<IconInfoCircle aria-hidden />}
      title={of.available ? 'Counted with an older database' : 'Not counted at the moment'}
    >
      <Text>
        {of.reason} <SettingsLink />
      </Text>
    </Alert>
  )
}

/** Names the databases that the places come from. */
function DatabaseFoot({ databases }: Pick<CountryTraffic, 'databases'>) {
  const known = [databases.country, databases.asn].filter((database) => database !== null)
  if (known.length === 0) return null
  return (
    <p className="hearth-dimmed geo-foot">
      Places by{' '}
      {known
        .map(({ type, build_epoch: built }) => `${type} of ${formatDay(new Date(built * 1000), { year: 'numeric' })}`)
        .join(' and ')}
      . Who owns an address says little about where somebody sits.
    </p>
  )
}

/** Empty state of the geography pages: why nothing was counted, and what to do. */
function NoPlaces({ of, what }: { of: Pick<CountryTraffic, 'available' | 'reason'>; what: string }) {
  if (of.available)
    return (
      <EmptyState icon={IconWorld} title="Nothing was counted in this time">
        Figures appear some minutes after peers begin to use the tunnel.
      </EmptyState>
    )
  return (
    <EmptyState icon={IconMapOff} title={`${what} are not counted yet`} action={<SettingsLink />}>
      {of.reason}
    </EmptyState>
  )
}

function SettingsLink() {
  const { isAdmin } = useSession()
  if (!isAdmin) return null
  return (
    <Link href="/settings" className="hearth-link">
      Settings for databases
    </Link>
  )
}

/** One place of a ranking. */
type PlaceRow = Omit<CountryTraffic['items'][number], 'code' | 'name'> & { key: string; name: ReactNode }

/** Rows shown at first; there may be some two hundred countries and thousands of networks. */
const first = 15

/** Places with what was moved, most first. */
export function PlaceTable({ label, head, rows }: { label: string; head: string; rows: readonly PlaceRow[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, first)
  return (
    <>
      <Table aria-label={label} className="geo-table" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{head}</Table.Th>
            <Table.Th ta="right">Traffic</Table.Th>
            <Table.Th ta="right">Share</Table.Th>
            <Table.Th ta="right">Peers</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td className="wrap-anywhere">{row.name}</Table.Td>
              <Table.Td
                ta="right"
                title={`${formatBytes(row.rx_bytes)} received, ${formatBytes(row.tx_bytes)} sent`}
                className="hearth-time"
              >
                {formatBytes(row.total_bytes)}
              </Table.Td>
              <Table.Td ta="right" className="hearth-time">
                {row.percentage} %
              </Table.Td>
              <Table.Td ta="right">{row.peers}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {rows.length > first && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${rows.length.toLocaleString('en')}`}
        </Button>
      )}
    </>
  )
}
