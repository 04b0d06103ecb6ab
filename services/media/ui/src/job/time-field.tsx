import { TextInput } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { formatTime, parseTime, type End } from './part.ts'
import type { PartTools } from './use-part.ts'

/** One end of the selected part, to the millisecond; the arrow keys move it by a step. */
export function TimeField({ end, label, tools }: { end: End; label: string; tools: PartTools }) {
  const { part, draft, step } = tools
  const typed = draft[end]
  const shown = typed ?? (part === undefined ? '' : formatTime(part[end]))
  const isWrong = typed !== undefined && typed.trim() !== '' && parseTime(typed) === undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') tools.settle(end)
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    const from = parseTime(shown) ?? part?.[end] ?? 0
    tools.move(end, Math.max(0, from + (event.key === 'ArrowUp' ? step : -step)))
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
      onChange={(event) => tools.type(end, event.currentTarget.value)}
      onBlur={() => tools.settle(end)}
      onKeyDown={onKeyDown}
    />
  )
}
