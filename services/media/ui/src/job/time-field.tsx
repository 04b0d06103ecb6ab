import { TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { formatTime, parseTime } from './part.ts'

/** A time to the millisecond; the arrow keys move it by `step` seconds. What cannot be read is told and changes nothing. */
export function TimeField(props: {
  label: string
  value: number | undefined
  step: number
  onChange: (seconds: number) => void
}) {
  const { label, value, step, onChange } = props
  const [draft, setDraft] = useState<string>()
  const shown = draft ?? (value === undefined ? '' : formatTime(value))
  const isWrong = draft !== undefined && draft !== '' && parseTime(draft) === undefined
  const settle = () => {
    const seconds = parseTime(shown)
    if (draft !== undefined && seconds !== undefined) onChange(seconds)
    if (!isWrong) setDraft(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') settle()
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    const from = parseTime(shown) ?? 0
    setDraft(undefined)
    onChange(Math.max(0, from + (event.key === 'ArrowUp' ? step : -step)))
  }
  return (
    <TextInput
      className="time-field"
      label={label}
      placeholder="0:00.000"
      inputMode="decimal"
      autoComplete="off"
      error={isWrong && 'Such as 1:02.5'}
      value={shown}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={settle}
      onKeyDown={onKeyDown}
    />
  )
}
