import { Group, SegmentedControl, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import { answer, Problem, useAction } from '@hearth/ui'
import {
  IconBracketsContainEnd,
  IconBracketsContainStart,
  IconMetronome,
  IconScissors,
  IconX,
} from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { ActionButton } from '../buttons.tsx'
import { api, keys, ofJob } from '../api.ts'
import { clock } from '../jobs/job-labels.ts'
import { useKeys } from '../keyboard/keys.tsx'
import { Waiting } from '../progress/waiting.tsx'
import type { PartTools, Snap } from './use-part.ts'
import { draftProblem, formatTime, parseTime, partProblem, type End, type Part } from './part.ts'
import type { Wave } from './wave.ts'

/** State of the beat detection. */
type Beats = 'known' | 'looking' | 'unknown'

const snaps: { value: Snap; label: string }[] = [
  { value: 'off', label: 'Free' },
  { value: 'beat', label: 'Beats' },
  { value: 'bar', label: 'Bars' },
]

const fieldNames: Readonly<Record<End, string>> = { start: 'From', end: 'To' }

/** `0:30`, or `0:30.5` when it is no whole second. */
function lengthOf({ start, end }: Part): string {
  const tenths = Math.round((end - start) * 10)
  return clock(tenths / 10, tenths % 10 === 0 ? 0 : 1)
}

/** Selects a part by hand, to the millisecond or to the beat, and saves it as a clip. */
export function TrimTools(props: {
  jobId: string
  duration: number
  wave: Wave | undefined
  tools: PartTools
  beats: Beats
  onSnap: (snap: Snap) => void
}) {
  const { jobId, duration, wave, tools, beats, onSnap } = props
  const mark = (end: End) => wave !== undefined && tools.move(end, wave.time())
  useKeys({
    i: () => mark('start'),
    o: () => mark('end'),
    Escape: tools.clear,
  })
  return (
    <div className="trim">
      <div className="trim-fields">
        <TimeField label={fieldNames.start} end="start" tools={tools} />
        <TimeField label={fieldNames.end} end="end" tools={tools} />
        <Group gap={6} className="trim-marks">
          <Tooltip label="Start the clip at the player’s position (i)">
            <ActionButton icon={IconBracketsContainStart} onClick={() => mark('start')}>
              Set start
            </ActionButton>
          </Tooltip>
          <Tooltip label="End the clip at the player’s position (o)">
            <ActionButton icon={IconBracketsContainEnd} onClick={() => mark('end')}>
              Set end
            </ActionButton>
          </Tooltip>
        </Group>
        {tools.maySnap && <SnapControl tools={tools} wave={wave} onSnap={onSnap} />}
      </div>
      {tools.snap !== 'off' && beats === 'unknown' && (
        <Text size="sm" c="dimmed">
          The position of the beats is not known. Play, pause on a beat, and press “Set beat”.
        </Text>
      )}
      <SaveClip jobId={jobId} duration={duration} tools={tools} />
    </div>
  )
}

function SnapControl(props: { tools: PartTools; wave: Wave | undefined; onSnap: (snap: Snap) => void }) {
  const { tools, wave, onSnap } = props
  return (
    <div className="trim-snap">
      <span className="trim-label" id="snap-label">
        Snap to
      </span>
      <Group gap={6}>
        <SegmentedControl
          aria-labelledby="snap-label"
          value={tools.snap}
          onChange={(snap) => onSnap(snap)}
          data={snaps}
        />
        {tools.snap !== 'off' && (
          <Tooltip label="Put the first beat of a bar at the player’s position">
            <ActionButton icon={IconMetronome} onClick={() => wave !== undefined && tools.setFirstBeat(wave.time())}>
              Set beat
            </ActionButton>
          </Tooltip>
        )}
      </Group>
    </div>
  )
}

function SaveClip({ jobId, duration, tools }: { jobId: string; duration: number; tools: PartTools }) {
  const { part, isLooping, draft } = tools
  const cut = useAction<{ start: number; end: number }, { cached: boolean }>({
    run: (body) => answer(api.POST('/api/trim/{job_id}', { ...ofJob(jobId), body })),
    done: ({ cached }) => (cached ? 'This clip was saved before; it is in the list' : 'Clip saved'),
    renew: [keys.trims(jobId)],
    onProblem: () => undefined,
  })
  const untyped = draftProblem(fieldNames.start, draft.start) ?? draftProblem(fieldNames.end, draft.end)
  if (part === undefined)
    return untyped === undefined ? (
      <Text size="sm" c="dimmed">
        Drag over the waveform to select a clip, from 1 second to 10 minutes long.
      </Text>
    ) : (
      <Problem text={untyped} />
    )
  const wrong = untyped ?? partProblem(part, duration)
  return (
    <>
      <Problem text={wrong ?? cut.error?.message} />
      <div className="trim-cut">
        <ActionButton
          icon={IconScissors}
          variant="filled"
          disabled={wrong !== undefined}
          loading={cut.isPending}
          onClick={() => cut.mutate(part)}
        >
          Save clip{wrong === undefined && ` (${lengthOf(part)})`}
        </ActionButton>
        <Switch label="Loop" checked={isLooping} onChange={(event) => tools.setLooping(event.currentTarget.checked)} />
        <ActionButton icon={IconX} variant="subtle" color="gray" onClick={tools.clear} disabled={cut.isPending}>
          Clear selection
        </ActionButton>
      </div>
      {cut.isPending && <Waiting label="Saving the clip" />}
    </>
  )
}

/** One end of the selected part, to the millisecond; the arrow keys move it by a step. */
function TimeField({ end, label, tools }: { end: End; label: string; tools: PartTools }) {
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
