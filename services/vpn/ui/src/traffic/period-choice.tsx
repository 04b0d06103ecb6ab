import { SegmentedControl } from '@mantine/core'
import { periods } from './periods.ts'

/** Which stretch of time is shown. */
export function PeriodChoice({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <SegmentedControl
      className="period-choice"
      aria-label="Time"
      value={value}
      onChange={onChange}
      data={periods.map(({ name, label }) => ({ value: name, label }))}
    />
  )
}
