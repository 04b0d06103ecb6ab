import { Button, Group, SegmentedControl, Switch, Text, Tooltip } from '@mantine/core'
import { answer, Problem, useAction } from '@hearth/ui'
import {
  IconBracketsContainEnd,
  IconBracketsContainStart,
  IconMetronome,
  IconScissors,
  IconX,
} from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { clock } from '../jobs/job-words.ts'
import { useKeys } from '../keyboard/use-keys.ts'
import { Waiting } from '../progress/waiting.tsx'
import type { PartTools, Snap } from './use-part.ts'
import { partProblem } from './part.ts'
import { TimeField } from './time-field.tsx'
import type { Wave } from './wave.ts'

/** What is known of where the beats are. */
type Beats = 'known' | 'looking' | 'unknown'

const snaps: { value: Snap; label: string }[] = [
  { value: 'off', label: 'Free' },
  { value: 'beat', label: 'Beats' },
  { value: 'bar', label: 'Bars' },
]

/** Chooses a part by hand, to the millisecond or to the beat, and has it cut. */
export function TrimTools(props: {
  jobId: string
  duration: number
  wave: Wave | undefined
  tools: PartTools
  beats: Beats
  onSnap: (snap: Snap) => void
}) {
  const { jobId, duration, wave, tools, beats, onSnap } = props
  const { part } = tools
  const setEnd = (end: number) => tools.choose({ start: part?.start ?? 0, end })
  const setStart = (start: number) => tools.choose({ start, end: part?.end ?? Math.min(duration, start + 30) })
  useKeys({
    i: () => wave !== undefined && setStart(wave.time()),
    o: () => wave !== undefined && setEnd(wave.time()),
    Escape: tools.clear,
  })
  return (
    <div className="trim">
      <div className="trim-fields">
        <TimeField label="From" value={part?.start} step={tools.step} onChange={setStart} />
        <TimeField label="To" value={part?.end} step={tools.step} onChange={setEnd} />
        <Group gap={6} className="trim-marks">
          <Tooltip label="Begin the part here (i)">
            <Button
              variant="default"
              leftSection={<IconBracketsContainStart size={16} aria-hidden />}
              onClick={() => wave !== undefined && setStart(wave.time())}
            >
              From here
            </Button>
          </Tooltip>
          <Tooltip label="End the part here (o)">
            <Button
              variant="default"
              leftSection={<IconBracketsContainEnd size={16} aria-hidden />}
              onClick={() => wave !== undefined && setEnd(wave.time())}
            >
              To here
            </Button>
          </Tooltip>
        </Group>
        {tools.maySnap && <SnapControl tools={tools} wave={wave} onSnap={onSnap} />}
      </div>
      {tools.snap !== 'off' && beats === 'unknown' && (
        <Text size="sm" c="dimmed">
          Where the beats are is not known. Play, pause on a beat, and press “Beat is here”.
        </Text>
      )}
      <Cut jobId={jobId} duration={duration} tools={tools} />
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
          <Tooltip label="Move the beats so that one, the first of a bar, lies at the place of the player">
            <Button
              variant="default"
              leftSection={<IconMetronome size={16} aria-hidden />}
              onClick={() => wave !== undefined && tools.setFirstBeat(wave.time())}
            >
              Beat is here
            </Button>
          </Tooltip>
        )}
      </Group>
    </div>
  )
}

function Cut({ jobId, duration, tools }: { jobId: string; duration: number; tools: PartTools }) {
  const { part, isLooping } = tools
  const [problem, setProblem] = useState<string>()
  const cut = useAction<{ start: number; end: number }, { cached: boolean }>({
    run: (body) => answer(api.POST('/api/trim/{job_id}', { params: { path: { job_id: jobId } }, body })),
    done: ({ cached }) => (cached ? 'That part was cut before; it is in the list' : 'The part is cut'),
    renew: [keys.trims(jobId)],
    onProblem: (error) => setProblem(error instanceof Error ? error.message : 'The part could not be cut'),
  })
  if (part === undefined)
    return (
      <Text size="sm" c="dimmed">
        Drag over the wave to choose a part, from a second to ten minutes.
      </Text>
    )
  const wrong = partProblem(part, duration)
  const start = () => {
    setProblem(undefined)
    cut.mutate(part)
  }
  return (
    <>
      <Problem text={wrong ?? problem} />
      <div className="trim-cut">
        <Button
          leftSection={<IconScissors size={16} aria-hidden />}
          disabled={wrong !== undefined}
          loading={cut.isPending}
          onClick={start}
        >
          Cut {clock(part.end - part.start, true)}
        </Button>
        <Switch label="Loop" checked={isLooping} onChange={(event) => tools.setLooping(event.currentTarget.checked)} />
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconX size={16} aria-hidden />}
          onClick={tools.clear}
          disabled={cut.isPending}
        >
          Let go
        </Button>
      </div>
      {cut.isPending && <Waiting label="Cutting" />}
    </>
  )
}
