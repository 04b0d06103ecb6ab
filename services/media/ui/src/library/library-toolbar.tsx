import {
  ActionIcon,
  Button,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Pill,
  Popover,
  SegmentedControl,
} from '@mantine/core'
import { TableSearch, type TableState } from '@hearth/ui'
import { IconAdjustmentsHorizontal, IconArrowsSort, IconLayoutGrid, IconList, IconX } from '@tabler/icons-react'
import { platformNames, typeNames } from '../jobs/job-labels.ts'
import {
  camelotKeys,
  lengths,
  listOf,
  rangeOf,
  rangeText,
  sorts,
  tempoText,
  type LibraryFilter,
} from './library-query.ts'

/** How the library is shown. */
export type LibraryView = 'grid' | 'list'

interface ToolbarProps {
  state: TableState
  filter: LibraryFilter
  onChange: (change: Record<string, string>) => void
  view: LibraryView
  onView: (view: LibraryView) => void
}

const optionsOf = (any: string, names: Readonly<Record<string, string>>) =>
  Object.entries({ '': any, ...names }).map(([value, label]) => ({ value, label }))

/** Search, order, filters and view of the library. */
export function LibraryToolbar({ state, filter, onChange, view, onView }: ToolbarProps) {
  return (
    <search className="library-bar" aria-label="Library">
      <TableSearch state={state} label="Search titles, artists and tags" />
      <NativeSelect
        aria-label="Sort"
        className="library-sort"
        leftSection={<IconArrowsSort size={16} aria-hidden />}
        data={filter.collection === '' ? sorts : [{ value: '', label: 'As collected' }, ...sorts.slice(2)]}
        value={filter.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value })}
      />
      <Filters filter={filter} onChange={onChange} />
      <SegmentedControl
        aria-label="View"
        value={view}
        onChange={(next) => onView(next === 'list' ? 'list' : 'grid')}
        data={[
          { value: 'grid', label: <ViewLabel icon={IconLayoutGrid} text="Covers" /> },
          { value: 'list', label: <ViewLabel icon={IconList} text="List" /> },
        ]}
      />
    </search>
  )
}

function ViewLabel({ icon: Icon, text }: { icon: typeof IconList; text: string }) {
  return (
    <span className="library-view">
      <Icon size={16} aria-hidden />
      <span>{text}</span>
    </span>
  )
}

type Change = Pick<ToolbarProps, 'filter' | 'onChange'>

function Filters({ filter, onChange }: Change) {
  const used = [filter.type, filter.platform, filter.bpm, filter.keys, filter.length].filter(Boolean).length
  const tempo = rangeOf(filter.bpm)
  return (
    <Popover position="bottom-end" width={320} shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}>
          {used === 0 ? 'Filters' : `Filters (${used})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="library-filters" aria-label="Filters">
        <NativeSelect
          label="Kind"
          data={optionsOf('Audio and video', typeNames)}
          value={filter.type}
          onChange={(event) => onChange({ type: event.currentTarget.value })}
        />
        <NativeSelect
          label="Platform"
          data={optionsOf('Any platform', platformNames)}
          value={filter.platform}
          onChange={(event) => onChange({ platform: event.currentTarget.value })}
        />
        <div className="library-range">
          <TempoField
            label="Tempo from"
            value={tempo.from}
            onChange={(from) => onChange({ bpm: rangeText(from, tempo.to) })}
          />
          <TempoField label="to" value={tempo.to} onChange={(to) => onChange({ bpm: rangeText(tempo.from, to) })} />
        </div>
        <MultiSelect
          label="Keys"
          description="On the Camelot wheel"
          placeholder={filter.keys === '' ? 'Any key' : ''}
          data={camelotKeys}
          value={listOf(filter.keys)}
          onChange={(keys) => onChange({ keys: keys.join(',') })}
          searchable
          comboboxProps={{ withinPortal: false }}
        />
        <NativeSelect
          label="Length"
          data={lengths}
          value={filter.length}
          onChange={(event) => onChange({ length: event.currentTarget.value })}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

interface TempoFieldProps {
  label: string
  value: number | undefined
  onChange: (value: number | undefined) => void
}

function TempoField({ label, value, onChange }: TempoFieldProps) {
  return (
    <NumberInput
      label={label}
      placeholder="BPM"
      min={1}
      max={1000}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={value ?? ''}
      onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
    />
  )
}

/** What narrows the library, each part with a button that takes it away. */
export function FilterPills({ filter, onChange }: Change) {
  const without = (list: string, part: string) =>
    listOf(list)
      .filter((each) => each !== part)
      .join(',')
  const parts = [
    ...listOf(filter.tags).map((tag) => ({ text: `#${tag}`, change: { tags: without(filter.tags, tag) } })),
    ...(filter.bpm === '' ? [] : [{ text: tempoText(filter.bpm), change: { bpm: '' } }]),
    ...listOf(filter.keys).map((key) => ({ text: key, change: { keys: without(filter.keys, key) } })),
    ...(filter.type === '' ? [] : [{ text: typeNames[filter.type as 'audio'], change: { type: '' } }]),
    ...(filter.platform === ''
      ? []
      : [{ text: platformNames[filter.platform as 'youtube'], change: { platform: '' } }]),
    ...lengths
      .filter(({ value }) => value !== '' && value === filter.length)
      .map(({ label }) => ({ text: label, change: { length: '' } })),
  ]
  if (parts.length === 0) return null
  return (
    <ul className="library-pills" aria-label="Active filters">
      {parts.map(({ text, change }) => (
        <li key={text}>
          <Pill size="md" className="library-pill">
            {text}
            <ActionIcon
              size="xs"
              variant="transparent"
              color="gray"
              aria-label={`Remove the filter ${text}`}
              onClick={() => onChange(change)}
            >
              <IconX size={12} aria-hidden />
            </ActionIcon>
          </Pill>
        </li>
      ))}
    </ul>
  )
}
