import { EmptyState, formatCount, PageHeader, QueryState, Section, TimeChart, useNow } from '@hearth/ui'
import { ActionIcon, Button, SegmentedControl } from '@mantine/core'
import { IconChartAreaLine, IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from 'wouter'
import { type EnergyHistory, keys, plantId, readHistory, readHistoryView } from '../api.ts'
import { FlowCard } from '../dashboard/flow-card.tsx'
import '../dashboard/flow.css'
import { NoInverter, SimulatedBanner } from '../devices/device-banners.tsx'
import { DeviceSelect, plantOf, useDevices, usePlantSettings } from '../devices/device-select.tsx'
import { BalanceFigures } from '../history/balance-figures.tsx'
import { chartsOf } from '../history/history-charts.ts'
import { HistorySettingsForm, StoredHistory } from '../history/history-storage.tsx'
import { dateIn, isPeriod, isUpTo, type Period, periods, periodText, stepDate } from '../history/periods.ts'
import '../history/history.css'
import { combined, Notice, useAddressParameter } from '../page-elements.tsx'
import { flowOf } from '../values/energy-flow.ts'
import { useSigns, useValues } from '../values/use-values.ts'

/** What was produced and used: the curve of a day, bars of months and years, and their balance. */
export function HistoryPage() {
  const devices = useDevices()
  const { id } = useParams()
  const [, navigate] = useLocation()
  const plant = usePlantSettings()
  const both = combined(devices, plant)
  const isWhole = plantOf(plant.data) !== undefined && (id === undefined || id === plantId)
  const device = devices.data?.find(({ device_id }) => device_id === id) ?? devices.data?.[0]
  // Not before it is known whether there is a plant.
  const deviceId = both.data === undefined ? undefined : isWhole ? plantId : device?.device_id
  return (
    <>
      <PageHeader
        title="Energy history"
        description="What was produced and used, and what battery and grid moved."
        actions={
          deviceId !== undefined && (
            <DeviceSelect
              devices={devices.data ?? []}
              value={deviceId}
              plant={plantOf(plant.data)}
              onChange={(next) => navigate(`/history/${encodeURIComponent(next)}`)}
            />
          )
        }
      />
      {devices.data?.length === 0 ? (
        <NoInverter icon={IconChartAreaLine} title="No inverter yet">
          Add an inverter first. Its history begins with it, and goes back as far as its own log.
        </NoInverter>
      ) : (
        <QueryState query={both} lines={8} />
      )}
      {device !== undefined && deviceId !== undefined && (
        <>
          <SimulatedBanner devices={devices.data ?? []} />
          <HistoryOf key={deviceId} deviceId={deviceId} />
        </>
      )}
    </>
  )
}

function HistoryOf({ deviceId }: { deviceId: string }) {
  const view = useQuery({ queryKey: [...keys.history, 'settings'], queryFn: readHistoryView })
  const now = useNow()
  const [wantedPeriod, setPeriod] = useAddressParameter('period')
  const [wantedDate, setDate] = useAddressParameter('date')
  const period = isPeriod(wantedPeriod) ? wantedPeriod : 'day'
  const zone = view.data?.time_zone
  const today = zone === undefined ? undefined : dateIn(zone, now)
  const date = wantedDate !== null && /^\d{4}-\d\d-\d\d$/.test(wantedDate) ? wantedDate : today
  const history = useQuery({
    queryKey: [...keys.history, deviceId, period, date],
    queryFn: () => readHistory(deviceId, { period, date: date ?? '' }),
    enabled: date !== undefined,
    placeholderData: keepPreviousData,
  })
  const status = view.data?.devices.find(({ device_id }) => device_id === deviceId)
  return (
    <div className="hearth-stack">
      {date !== undefined && today !== undefined && (
        <Controls {...{ deviceId, period, date, today }} onPeriod={setPeriod} onDate={setDate} />
      )}
      <QueryState query={history} lines={8} />
      {history.data !== undefined && <PeriodView history={history.data} isToday={date === today && period === 'day'} />}
      {view.data !== undefined && (
        <div className="history-columns">
          {status !== undefined && <StoredHistory status={status} />}
          <HistorySettingsForm key={JSON.stringify(view.data.settings)} view={view.data} />
        </div>
      )}
    </div>
  )
}

/** Choice of the period, a step to its neighbours, and the files of it. */
function Controls(props: {
  deviceId: string
  period: Period
  date: string
  today: string
  onPeriod: (period: string) => void
  onDate: (date: string | undefined) => void
}) {
  const { deviceId, period, date, today, onPeriod, onDate } = props
  const next = stepDate(date, period, 1)
  const file = (format: string) => {
    const [from, to] = rangeOf(date, period, today)
    const query = new URLSearchParams({ resolution: period === 'day' ? 'five_minutes' : 'hour' })
    if (period === 'total') query.set('resolution', 'day')
    else
      for (const [name, value] of [
        ['from', from],
        ['to', to],
      ] as const)
        query.set(name, value)
    return `/api/v1/devices/${encodeURIComponent(deviceId)}/energy-history.${format}?${query.toString()}`
  }
  return (
    <div className="history-controls">
      <SegmentedControl aria-label="Period" data={[...periods]} value={period} onChange={onPeriod} />
      {period !== 'total' && (
        <div className="history-step">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Previous ${period}`}
            onClick={() => onDate(stepDate(date, period, -1))}
          >
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <b>{periodText(date, period)}</b>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Next ${period}`}
            disabled={!isUpTo(next, today, period)}
            onClick={() => onDate(isUpTo(today, next, period) ? undefined : next)}
          >
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
        </div>
      )}
      <div className="history-files">
        {['csv', 'json'].map((format) => (
          <Button
            key={format}
            component="a"
            href={file(format)}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {format.toUpperCase()}
          </Button>
        ))}
      </div>
    </div>
  )
}

/** First and last date of a period, the latter not after today. */
function rangeOf(date: string, period: Period, today: string): [from: string, to: string] {
  if (period === 'day') return [date, date]
  const from = period === 'month' ? `${date.slice(0, 7)}-01` : `${date.slice(0, 4)}-01-01`
  const last = stepDate(stepDate(from, period, 1), 'day', -1)
  return [from, last < today ? last : today]
}

function PeriodView({ history, isToday }: { history: EnergyHistory; isToday: boolean }) {
  const { balance, buckets } = history
  const flow = isToday && history.device_id !== plantId && <FlowNow deviceId={history.device_id} />
  if (balance.known === 0)
    return (
      <>
        <Section title="Balance">
          <EmptyState icon={IconChartAreaLine} title="No data for this time">
            {history.first_date === null
              ? 'The first values stand here after five minutes. What the inverter has logged itself follows.'
              : `The history begins on ${history.first_date}.`}
          </EmptyState>
        </Section>
        {flow}
      </>
    )
  const counted = buckets.filter(({ source }) => source === 'counter').length
  const logged = buckets.filter(({ source }) => source === 'logger').length
  return (
    <>
      <Section title="Balance">
        {balance.known < 0.99 && (
          <Notice mb={12}>
            {`${Math.max(1, Math.round((1 - balance.known) * 100))} % of this time is missing. It is left out, and not counted as zero.`}
          </Notice>
        )}
        {history.missing.length > 0 && <MissingInverters history={history} />}
        <BalanceFigures balance={balance} />
      </Section>
      <div className="history-columns energy-charts">
        {chartsOf(history)
          .filter(({ times }) => times.length > 1)
          .map((chart) => (
            <Section key={chart.title} title={chart.title}>
              <TimeChart key={`${history.period} ${history.from}`} height={220} {...chart} />
            </Section>
          ))}
        {flow}
      </div>
      {history.resolution === 'five_minutes' && logged + counted > 0 && (
        <p className="hearth-dimmed">
          {logged > 0 && `${formatCount(logged, 'value')} from the inverter’s own log. `}
          {counted > 0 && `${formatCount(counted, 'value')} from its counters alone, without a curve.`}
        </p>
      )}
    </>
  )
}

/** When an inverter of the plant was away, so that nothing was added up. */
function MissingInverters({ history }: { history: EnergyHistory }) {
  const devices = useDevices()
  const { missing, time_zone: timeZone } = history
  const clock = (time: string) =>
    new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', timeZone })
  const nameOf = (id: string) => devices.data?.find(({ device_id }) => device_id === id)?.display_name ?? id
  const texts = missing.map(({ device_id, from, until }) => `${nameOf(device_id)} ${clock(from)} – ${clock(until)}`)
  const shown = texts.slice(0, 4).join(', ')
  return (
    <Notice mb={12}>
      {`Nothing is added up while an inverter is away: ${shown}${texts.length > 4 ? ` and ${texts.length - 4} more` : ''}. What its counters and its log say is added when it is back.`}
    </Notice>
  )
}

/** The flow of energy at this moment. */
function FlowNow({ deviceId }: { deviceId: string }) {
  const values = useValues(deviceId)
  const signs = useSigns(deviceId)
  const flow = values.data === undefined ? undefined : flowOf(values.data, signs)
  return (
    <Section title="Now">
      <FlowCard values={values.data} flow={flow} />
    </Section>
  )
}
