import { NativeSelect, SegmentedControl, Text } from '@mantine/core'
import { ErrorState, formatCount, LoadingLines, Section } from '@hearth/ui'
import { useState } from 'react'
import { gradePoints, gradeSteps } from './grade-steps.ts'
import { type GradeHistory, type HistoryRange, useGradeHistory } from './read-certificates.ts'
import '../charts/charts.css'
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
      {history.data === undefined && history.error === null && <LoadingLines lines={3} />}
      {history.data === undefined && history.error !== null && (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      )}
      {history.data !== undefined && <Lines history={history.data} host={host} />}
    </Section>
  )
}

const box = { width: 600, height: 160 }
/** More lines would be a tangle. */
const mostLines = 30

function Lines({ history, host }: { history: GradeHistory; host: string }) {
  const series = history.series.filter((one) => host === '' || one.host === host).slice(0, mostLines)
  const points = gradePoints(series, history.days)
  if (series.length === 0)
    return (
      <Text c="dimmed" size="sm">
        No host was graded in this time. Grades are made as often as the settings say, and by “Grade now”.
      </Text>
    )
  return (
    <figure className="time-chart">
      <figcaption className="chart-said">{summaryOf(series)}</figcaption>
      <div className="grade-plot">
        <ol className="grade-scale" aria-hidden>
          {gradeSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <svg viewBox={`0 0 ${box.width} ${box.height}`} preserveAspectRatio="none" aria-hidden>
          {gradeSteps.map((step, place) => {
            const y = ((place + 0.5) / gradeSteps.length) * box.height
            return <line key={step} className="grade-line" x1={0} x2={box.width} y1={y} y2={y} />
          })}
          {points.map(({ key, path, source }) => (
            <path key={key} d={path} className="chart-line" data-kind={source === 'local' ? 'half' : 'most'} />
          ))}
        </svg>
      </div>
      <table className="visually-hidden">
        <caption>Grades by week</caption>
        <tbody>
          {series.map((one) => (
            <tr key={`${one.source} ${one.host}`}>
              <th scope="row">{one.host}</th>
              <td>{one.points.map(({ date, grade }) => `${date}: ${grade}`).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function summaryOf(series: GradeHistory['series']): string {
  const [first] = series
  if (series.length === 1 && first !== undefined)
    return `${first.host}: ${first.points.at(-1)?.grade ?? 'none'} now, ${first.points[0]?.grade ?? 'none'} at first`
  return `${formatCount(series.length, 'host')}; solid lines are our own grades, dashed ones those of SSL Labs`
}
