import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { IconArrowsSort, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { useDebouncedCallback } from '@mantine/hooks'
import { platformNames, typeNames } from './job-labels.ts'
import { shows, sorts, type JobFilter } from './job-filter.ts'

const optionsOf = (any: string, names: Readonly<Record<string, string>>) =>
  Object.entries({ '': any, ...names }).map(([value, label]) => ({ value, label }))

const selects = [
  { name: 'type', label: 'Kind', data: optionsOf('Any kind', typeNames) },
  { name: 'platform', label: 'Platform', data: optionsOf('Any platform', platformNames) },
] as const

interface ToolbarProps {
  filter: JobFilter
  onChange: (next: Partial<JobFilter>) => void
  search: RefObject<HTMLInputElement | null>
}

/** Search, filters and sorting of the list. */
export function ListToolbar({ filter, onChange, search }: ToolbarProps) {
  return (
    <search className="jobs-head" aria-label="Downloads">
      <SegmentedControl
        className="jobs-show"
        aria-label="Status"
        value={filter.show}
        onChange={(show) => onChange({ show })}
        data={[...shows]}
      />
      {selects.map(({ name, label, data }) => (
        <NativeSelect
          key={name}
          className="jobs-select"
          aria-label={label}
          data={data}
          value={filter[name]}
          onChange={(event) => onChange({ [name]: event.currentTarget.value })}
        />
      ))}
      <NativeSelect
        className="jobs-select jobs-sort"
        aria-label="Sort"
        leftSection={<IconArrowsSort size={16} aria-hidden />}
        data={[...sorts]}
        value={filter.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value })}
      />
      <SearchField value={filter.search} onChange={(text) => onChange({ search: text })} field={search} />
    </search>
  )
}

interface SearchFieldProps {
  value: string
  onChange: (text: string) => void
  field: RefObject<HTMLInputElement | null>
}

function SearchField({ value, onChange, field }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const latest = useRef(value)
  const notify = useDebouncedCallback((next: string) => {
    latest.current = next.trim()
    onChange(latest.current)
  }, 150)
  useEffect(() => {
    // Another filter of the address, such as one the back button brought.
    if (value !== latest.current) setText(value)
    latest.current = value
  }, [value])
  return (
    <TextInput
      ref={field}
      type="search"
      className="jobs-search"
      aria-label="Search downloads"
      placeholder="Title, channel, tempo, key"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        notify(event.currentTarget.value)
      }}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
    />
  )
}
