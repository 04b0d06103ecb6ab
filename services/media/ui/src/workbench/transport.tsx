import { ActionIcon, Group, SegmentedControl, Switch, Tooltip } from '@mantine/core'
import { IconAction } from '@hearth/ui'
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRewindBackward5,
  IconRewindForward5,
  IconZoomIn,
  IconZoomOut,
  IconZoomReset,
} from '@tabler/icons-react'
import { clock } from '../jobs/job-labels.ts'
import type { Sound, SoundDeck } from './sound-deck.ts'
import { useDeckValue } from './use-deck.ts'
import type { WorkbenchContext, Edits } from './use-edits.ts'
import type { WaveCanvas } from './wave-canvas.ts'

const soundNames: Readonly<Record<Sound, string>> = {
  original: 'Original',
  vocals: 'Vocals',
  instrumental: 'Instrumental',
}

/** What plays the sound: buttons, place, which sound is heard, zoom. */
export function Transport(props: {
  context: WorkbenchContext
  edits: Edits
  isLooping: boolean
  onLoop: (isOn: boolean) => void
  title: string
}) {
  const { context, edits, isLooping, onLoop, title } = props
  const { deck, wave, duration, selected } = context
  const isPlaying = useDeckValue(deck, (one) => one.isPlaying(), false)
  const [verb, PlayIcon] = isPlaying ? ['Pause', IconPlayerPauseFilled] : ['Play', IconPlayerPlayFilled]
  return (
    <>
      <Place context={context} edits={edits} title={title} />
      <div className="workbench-bar">
        <Group gap={6} wrap="nowrap">
          <IconAction
            icon={IconRewindBackward5}
            tip="Back 5 s (Shift ←)"
            label="Back 5 seconds"
            onClick={() => edits.skip(-5)}
          />
          <Tooltip label={`${verb} (space)`}>
            <ActionIcon size={44} radius="xl" aria-label={verb} onClick={() => deck?.toggle()}>
              <PlayIcon size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <IconAction
            icon={IconRewindForward5}
            tip="Forward 5 s (Shift →)"
            label="Forward 5 seconds"
            onClick={() => edits.skip(5)}
          />
          <Clock deck={deck} duration={duration} />
        </Group>
        <Switch
          label="Loop the part"
          checked={isLooping}
          disabled={selected === undefined}
          onChange={(event) => onLoop(event.currentTarget.checked)}
        />
        <Sounds deck={deck} />
        <Zoom wave={wave} />
      </div>
    </>
  )
}

function Clock({ deck, duration }: { deck: SoundDeck | undefined; duration: number }) {
  const time = useDeckValue(deck, (one) => Math.floor(one.time() * 10) / 10, 0)
  return (
    <span className="player-place">
      <b>{clock(time, 1)}</b> / {clock(duration)}
    </span>
  )
}

/** Chooses between original and stems, where there are stems. */
function Sounds({ deck }: { deck: SoundDeck | undefined }) {
  const heard = useDeckValue(deck, (one) => one.heard, 'original')
  const names = useDeckValue(deck, (one) => one.sounds.join(' '), '').split(' ') as Sound[]
  if (names.length < 2) return null
  return (
    <SegmentedControl
      aria-label="Sound that is heard"
      value={heard}
      onChange={(name) => deck?.hear(name)}
      data={names.map((value) => ({ value, label: soundNames[value] }))}
    />
  )
}

function Zoom({ wave }: { wave: WaveCanvas | undefined }) {
  return (
    <Group gap={2} wrap="nowrap" className="workbench-zoom">
      <IconAction icon={IconZoomOut} tip="Zoom out (−)" label="Zoom out" onClick={() => wave?.zoom(0.5)} />
      <IconAction icon={IconZoomReset} tip="Show all of it (0)" label="Show all of it" onClick={() => wave?.fit()} />
      <IconAction icon={IconZoomIn} tip="Zoom in (+)" label="Zoom in" onClick={() => wave?.zoom(2)} />
    </Group>
  )
}

/** The drawing is for the pointer; this slider is for the keyboard and for screen readers. */
function Place({
  context: { deck, duration },
  edits,
  title,
}: {
  context: WorkbenchContext
  edits: Edits
  title: string
}) {
  const time = useDeckValue(deck, (one) => Math.floor(one.time()), 0)
  return (
    <input
      type="range"
      className="workbench-place"
      aria-label={`Place in ${title}`}
      aria-valuetext={`${clock(time)} of ${clock(duration)}`}
      min={0}
      max={Math.floor(duration)}
      step={1}
      value={time}
      onChange={(event) => edits.seek(Number(event.currentTarget.value))}
      onKeyDown={(event) => {
        if (event.key !== ' ') return
        event.preventDefault()
        deck?.toggle()
      }}
    />
  )
}
