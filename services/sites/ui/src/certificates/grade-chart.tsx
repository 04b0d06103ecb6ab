import { NativeSelect, SegmentedControl, Text } from '@mantine/core'
import { formatCount, formatDay, QueryState, Section, TimeChart } from '@hearth/ui'
import { useState } from 'react'
import { gradeLines, gradeSteps, gradeWeeks } from './grade-steps.ts'
import { type GradeHistory, type HistoryRange, useGradeHistory } from './read-certificates.ts'
import './certificates.css'

const ranges: readonly { value: HistoryRange; label: string }[] = [
  { value: '30d', label: '30 d' },
  { value: '90d', label: '90 d' },
  { value: '180d', label: '180 d' },
  { value: '1y', label: '1 year' },
]

/** Grades of the hosts over time, one host at a time or all as lines. */
export function GradeChart({ host: fixed }: { host?: string }) {
  const [range, setRange] = useState<HistoryRange>('90d')
  const [chosen, choose] = useState('')
  const history = useGradeHistory(range)
  const host = fixed ?? chosen
  const hosts = [...new Set((history.data?.series ?? []).map((series) => series.host))].sort()
  return (
    <Section
      title={fixed === undefined ? 'Grades over time' : 'Its grades over time'}
      actions={
        <div className="chart-controls">
          {fixed === undefined && hosts.length > 1 && (
            <NativeSelect
              size="xs"
              aria-label="Host"
              value={chosen}
              onChange={(event) => choose(event.currentTarget.value)}
              data={[{ value: '', label: 'All hosts' }, ...hosts]}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Time"
            value={range}
            data={[...ranges]}
            onChange={(value) => setRange(ranges.find((one) => one.value === value)?.value ?? '90d')}
          />
        </div>
      }
    >
      <QueryState query={history} lines={3} />
      {history.data !== undefined && <Lines history={history.data} host={host} />}
    </Section>
  )
}

/** More lines would be a tangle. */
const maxLines = 30

function Lines({ history, host }: { history: GradeHistory; host: string }) {
  const series = history.series.filter((one) => host === '' || one.host === host).slice(0, maxLines)
  if (series.length === 0)
    return (
      <Text c="dimmed" size="sm">
        No host was graded in this time. Grades are made as often as the settings say, and by “Grade now”.
      </Text>
    )
  const weeks = gradeWeeks(series, history.days)
  return (
    <TimeChart
      title="Grades by week"
      summary={summaryOf(series)}
      shape="lines"
      isUtc
      times={weeks}
      series={gradeLines(series, weeks)}
      ticks={() => [...gradeSteps.keys()]}
      format={(step) => gradeSteps[step] ?? ''}
      formatTime={(week) => formatDay(new Date(week), { timeZone: 'UTC' })}
    />
  )
}

function summaryOf(series: GradeHistory['series']): string {
  const [first] = series
  if (series.length === 1 && first !== undefined)
    return `${first.host}: ${first.points.at(-1)?.grade ?? 'none'} now, ${first.points[0]?.grade ?? 'none'} at first`
  return `${formatCount(series.length, 'host')}; solid lines are Hearth’s grades, dashed ones those of SSL Labs`
}
