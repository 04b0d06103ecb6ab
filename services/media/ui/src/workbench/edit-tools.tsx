import { Group, NumberInput, SegmentedControl, Select, Text, Tooltip } from '@mantine/core'
import { IconAction } from '@hearth/ui'
import {
  IconArrowBarRight,
  IconBracketsContainEnd,
  IconBracketsContainStart,
  IconFlag,
  IconPlus,
  IconRepeat,
  IconSlice,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { BeatGrid } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { foundPerBar } from './beats.ts'
import type { Content } from './session.ts'
import type { WorkbenchContext, Edits } from './use-edits.ts'

const snaps: { value: Content['grid']['snap']; label: string }[] = [
  { value: 'off', label: 'Free' },
  { value: 'beat', label: 'Beats' },
  { value: 'bar', label: 'Bars' },
]

/** State of the beats of a sound. */
export type BeatState = 'looking' | 'unknown' | { readonly found: BeatGrid }

/** Marks parts and cue points at the playhead, to the beat when the sound has one. */
export function EditTools({ context, edits, state }: { context: WorkbenchContext; edits: Edits; state: BeatState }) {
  return (
    <div className="workbench-tools">
      <Group gap={6}>
        <Tool icon={IconBracketsContainStart} tip="Start the part at the playhead (i)" onClick={edits.markIn}>
          Set start
        </Tool>
        <Tool icon={IconBracketsContainEnd} tip="End the part at the playhead (o)" onClick={edits.markOut}>
          Set end
        </Tool>
        <Tool icon={IconPlus} tip="New part at the playhead (n)" onClick={edits.addHere}>
          New part
        </Tool>
        <Tool icon={IconSlice} tip="Split the part at the playhead (s)" onClick={edits.split}>
          Split
        </Tool>
        <Tool icon={IconFlag} tip="Cue point at the playhead (c)" onClick={edits.addCue}>
          Cue point
        </Tool>
      </Group>
      {state === 'looking' && (
        <Text size="sm" c="dimmed" component="output">
          Finding the beats…
        </Text>
      )}
      {state === 'unknown' && (
        <Text size="sm" c="dimmed">
          This sound has no beat that was found, so nothing snaps.
        </Text>
      )}
      {typeof state === 'object' && context.beats !== undefined && (
        <GridTools context={context} edits={edits} found={state.found} />
      )}
    </div>
  )
}

function Tool(props: { icon: typeof IconFlag; tip: string; onClick: () => void; children: string }) {
  const { icon, tip, onClick, children } = props
  return (
    <Tooltip label={tip}>
      <ActionButton icon={icon} onClick={onClick}>
        {children}
      </ActionButton>
    </Tooltip>
  )
}

const metres = Array.from({ length: 12 }, (_, index) => String(index + 1))

/** How beats are counted, what ends snap to, and loops of whole bars. */
function GridTools({ context, edits, found }: { context: WorkbenchContext; edits: Edits; found: BeatGrid }) {
  const { grid } = context.session.content
  const [bars, setBars] = useState(4)
  return (
    <Group gap="sm" align="end">
      <div className="trim-snap">
        <span className="trim-label" id="workbench-snap">
          Snap to (b)
        </span>
        <SegmentedControl
          aria-labelledby="workbench-snap"
          value={grid.snap}
          onChange={(snap) => edits.run({ type: 'set-grid', values: { snap } })}
          data={snaps}
        />
      </div>
      <Group gap={4} align="end" wrap="nowrap">
        <Select
          label="Beats in a bar"
          className="workbench-metre"
          value={grid.beats_per_bar === null ? 'auto' : String(grid.beats_per_bar)}
          data={[{ value: 'auto', label: `Found: ${foundPerBar(found)}` }, ...metres]}
          allowDeselect={false}
          onChange={(value) =>
            edits.run({
              type: 'set-grid',
              values: { beats_per_bar: value === 'auto' ? null : Number(value), shift: 0 },
            })
          }
        />
        <IconAction
          icon={IconArrowBarRight}
          tip="Bars begin one beat later"
          label="Bars begin one beat later"
          onClick={() =>
            edits.run({ type: 'set-grid', values: { shift: (grid.shift + 1) % (context.beats?.perBar ?? 4) } })
          }
        />
      </Group>
      <Group gap={4} align="end" wrap="nowrap">
        <NumberInput
          label="Bars"
          className="workbench-bars"
          min={1}
          max={512}
          allowDecimal={false}
          value={bars}
          onChange={(value) => typeof value === 'number' && value >= 1 && setBars(value)}
        />
        <Tooltip label="From the first beat of this bar, exact to the sample">
          <ActionButton icon={IconRepeat} onClick={() => edits.makeLoop(bars)}>
            Make loop
          </ActionButton>
        </Tooltip>
      </Group>
    </Group>
  )
}
