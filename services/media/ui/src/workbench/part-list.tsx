import { Button, Group, NumberInput, Text, TextInput } from '@mantine/core'
import { IconAction, Section } from '@hearth/ui'
import { IconChevronLeft, IconChevronRight, IconPlayerPlay, IconTrash, IconZoomScan } from '@tabler/icons-react'
import { clock } from '../jobs/job-labels.ts'
import { formatTime } from '../job/part.ts'
import { maxParts, type Part } from './session.ts'
import { TimeField } from './time-field.tsx'
import type { WorkbenchContext, Edits } from './use-edits.ts'

/** Name of a part, also of one that was given none. */
export const partLabel = ({ name }: Pick<Part, 'name'>, index: number): string =>
  name === '' ? `Part ${index + 1}` : name

/** The parts of a session; the selected one can be changed to the millisecond. */
export function PartList({ context, edits }: { context: WorkbenchContext; edits: Edits }) {
  const { session, selected, select } = context
  const { parts } = session.content
  return (
    <Section title="Parts" actions={<Count count={parts.length} />}>
      {parts.length === 0 ? (
        <Text size="sm" c="dimmed">
          Drag over the waveform, or play and press <b>i</b> where a part starts and <b>o</b> where it ends.
        </Text>
      ) : (
        <ul className="plain-list workbench-parts" aria-label="Parts">
          {parts.map((part, index) => (
            <li key={part.id} data-selected={part.id === selected || undefined}>
              <PartRow
                part={part}
                label={partLabel(part, index)}
                isSelected={part.id === selected}
                {...{ select, edits }}
              />
              {part.id === selected && <PartEditor part={part} index={index} {...{ context, edits }} />}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const Count = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <Text size="sm" c="dimmed">
      {count} of {maxParts}
    </Text>
  )

function PartRow(props: {
  part: Part
  label: string
  isSelected: boolean
  select: WorkbenchContext['select']
  edits: Edits
}) {
  const { part, label, isSelected, select, edits } = props
  return (
    <Group gap={4} wrap="nowrap" justify="space-between">
      <Button
        variant="subtle"
        color="gray"
        className="workbench-part"
        aria-expanded={isSelected}
        onClick={() => select(isSelected ? undefined : part.id)}
      >
        <span>
          <b>{label}</b>
          <small>
            {formatTime(part.start)} – {formatTime(part.end)} · {lengthOf(part)}
          </small>
        </span>
      </Button>
      <IconAction icon={IconPlayerPlay} tip="Play" label={`Play ${label}`} onClick={() => edits.play(part)} />
    </Group>
  )
}

function lengthOf({ start, end, loop }: Part): string {
  if (loop === null) return clock(end - start, 1)
  return `${loop.bars} ${loop.bars === 1 ? 'bar' : 'bars'} at ${Math.round(loop.bpm * 100) / 100} BPM`
}

function PartEditor({
  part,
  index,
  context,
  edits,
}: {
  part: Part
  index: number
  context: WorkbenchContext
  edits: Edits
}) {
  const { beats, wave, session } = context
  const step = session.content.grid.snap === 'off' || beats === undefined ? 0.1 : 60 / beats.bpm
  const change = (values: Partial<Pick<Part, 'name' | 'fade_in' | 'fade_out'>>) =>
    edits.run({ type: 'change-part', id: part.id, values }, `change ${part.id} ${Object.keys(values).join(' ')}`)
  return (
    <div className="workbench-editor">
      <TextInput
        label="Name"
        placeholder={partLabel({ name: '' }, index)}
        maxLength={80}
        value={part.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Group gap="xs" grow>
        {(['start', 'end'] as const).map((end) => (
          <TimeField
            key={end}
            label={end === 'start' ? 'Start' : 'End'}
            value={part[end]}
            step={step}
            onChange={(to) => edits.run({ type: 'move-end', id: part.id, end, to })}
          />
        ))}
      </Group>
      <Group gap="xs" grow>
        <Fade label="Fade in" value={part.fade_in} onChange={(fade_in) => change({ fade_in })} />
        <Fade label="Fade out" value={part.fade_out} onChange={(fade_out) => change({ fade_out })} />
      </Group>
      <Group gap={4} justify="flex-end">
        <IconAction
          icon={IconChevronLeft}
          tip="Move it back as a whole (,)"
          label={`Move ${partLabel(part, index)} back`}
          onClick={() => edits.moveSelected(-1)}
        />
        <IconAction
          icon={IconChevronRight}
          tip="Move it forward as a whole (.)"
          label={`Move ${partLabel(part, index)} forward`}
          onClick={() => edits.moveSelected(1)}
        />
        <IconAction
          icon={IconZoomScan}
          tip="Zoom to it (f)"
          label={`Zoom to ${partLabel(part, index)}`}
          onClick={() => wave?.frameOn(part.start, part.end)}
        />
        <IconAction
          icon={IconTrash}
          tip="Delete (Del); undo brings it back"
          label={`Delete ${partLabel(part, index)}`}
          onClick={edits.removeSelected}
        />
      </Group>
    </div>
  )
}

function Fade({ label, value, onChange }: { label: string; value: number; onChange: (seconds: number) => void }) {
  return (
    <NumberInput
      label={label}
      suffix=" s"
      min={0}
      step={0.1}
      decimalScale={2}
      value={value}
      onChange={(next) => typeof next === 'number' && onChange(next)}
    />
  )
}
