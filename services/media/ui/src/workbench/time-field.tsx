import { TextInput } from '@mantine/core'
import { useState, type KeyboardEvent } from 'react'
import { formatTime, parseTime } from '../job/part.ts'

/** A time that can be typed, and moved by the arrow keys; it counts once the field is left or Enter is pressed. */
export function TimeField(props: {
  label: string
  /** Read to whoever does not see the field; the place says it to the others. */
  isLabelHidden?: boolean
  value: number
  /** Step of an arrow key, seconds. */
  step: number
  onChange: (seconds: number) => void
}) {
  const { label, isLabelHidden = false, value, step, onChange } = props
  const [draft, setDraft] = useState<string>()
  const seconds = draft === undefined ? value : parseTime(draft)
  const settle = () => {
    if (draft !== undefined && seconds !== undefined) onChange(seconds)
    if (seconds !== undefined) setDraft(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') settle()
    if (event.key === 'Escape') setDraft(undefined)
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    setDraft(undefined)
    onChange(Math.max(0, (seconds ?? value) + (event.key === 'ArrowUp' ? step : -step)))
  }
  return (
    <TextInput
      className="time-field"
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      inputMode="decimal"
      autoComplete="off"
      error={seconds === undefined && 'Such as 1:02.5'}
      value={draft ?? formatTime(value)}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={settle}
      onKeyDown={onKeyDown}
    />
  )
}
