import { EmptyState, formatCount, PageHeader, QueryState, Section, TimeChart } from '@hearth/ui'
import { IconArrowLeft, IconCalendarBolt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { keys, type PlanPastDay, readPlanDay, readPlanDays, readPlanSettings } from '../api.ts'
import { periodText } from '../history/periods.ts'
import '../history/history.css'
import { useAddressParameter } from '../page-elements.tsx'
import { pastDayCharts, savedText, totalSaved } from '../plan/past-day-charts.ts'
import { money } from '../plan/plan-texts.ts'
import '../plan/plan.css'

/** The days on which plans were carried out: what was planned, what happened, and what it saved. */
export function PlanDaysPage() {
  const settings = useQuery({ queryKey: [...keys.plans, 'settings'], queryFn: readPlanSettings })
  const deviceId = settings.data?.device_id ?? undefined
  const [date, setDate] = useAddressParameter('date')
  const days = useQuery({
    queryKey: [...keys.plans, deviceId, 'days'],
    queryFn: () => readPlanDays(deviceId ?? ''),
    enabled: deviceId !== undefined,
  })
  const list = days.data?.days
  const chosen = list?.find((day) => day.date === date)?.date ?? list?.[0]?.date
  return (
    <>
      <Link href="/plan" className="hearth-link back-link">
        <IconArrowLeft size={16} aria-hidden /> Plan
      </Link>
      <PageHeader title="Past days" description="What was planned, what happened, and what it saved." />
      {deviceId !== undefined && <QueryState query={days} lines={8} />}
      {(list?.length === 0 || settings.data?.device_id === null) && (
        <EmptyState icon={IconCalendarBolt} title="No day yet">
          A day stands here on the morning after it, when plans were carried out and nearly all of it is in the energy
          history.
        </EmptyState>
      )}
      {list !== undefined && list.length > 0 && (
        <div className="hearth-stack">
          {deviceId !== undefined && chosen !== undefined && (
            <PastDay deviceId={deviceId} date={chosen} timeZone={settings.data?.time_zone ?? 'UTC'} />
          )}
          <Section title="All days">
            <p className="hearth-dimmed">{totalSaved(list) ?? formatCount(list.length, 'day')}</p>
            <ul className="plain-list plan-days">
              {list.map((day) => (
                <li key={day.date}>
                  <button
                    type="button"
                    className="plan-day-button hearth-link"
                    aria-current={day.date === chosen || undefined}
                    onClick={() => setDate(day.date)}
                  >
                    {periodText(day.date, 'day')}
                  </button>
                  <span>{money(day.cost, day.currency)}</span>
                  <span className="hearth-dimmed">{savedText(day)}</span>
                </li>
              ))}
            </ul>
          </Section>
        </div>
      )}
    </>
  )
}

function PastDay({ deviceId, date, timeZone }: { deviceId: string; date: string; timeZone: string }) {
  const query = useQuery({
    queryKey: [...keys.plans, deviceId, 'days', date],
    queryFn: () => readPlanDay(deviceId, date),
  })
  const day = query.data
  return (
    <>
      <QueryState query={query} lines={6} />
      {day !== undefined && (
        <>
          <Section title={periodText(date, 'day')}>
            <p>
              {`${money(day.cost, day.currency)} with the plan, ${money(day.cost_without, day.currency)} without one: ${savedText(day)}.`}
            </p>
            {day.steps.length === 0 && (
              <p className="hearth-dimmed">Nothing more was kept of this day by an older version.</p>
            )}
          </Section>
          {day.steps.length > 0 && <PastCharts day={day} timeZone={timeZone} />}
        </>
      )}
    </>
  )
}

function PastCharts({ day, timeZone }: { day: PlanPastDay; timeZone: string }) {
  const clock = (time: string) =>
    new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', timeZone })
  return (
    <div className="history-columns energy-charts plan-charts">
      {pastDayCharts(day).map((chart) => (
        <Section key={chart.title} title={chart.title}>
          <TimeChart key={day.date} height={200} shape="lines" formatTime={clock} {...chart} />
        </Section>
      ))}
    </div>
  )
}
