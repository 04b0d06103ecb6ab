import { ActionIcon, Slider, Tooltip } from '@mantine/core'
import { IconAction } from '@hearth/ui'
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconRewindBackward5,
  IconRewindForward5,
} from '@tabler/icons-react'
import { useState } from 'react'
import { clock } from '../jobs/job-labels.ts'
import { useKeys } from '../keyboard/keys.tsx'
import { Waiting } from '../progress/waiting.tsx'
import { useWaveState, useWaveTime } from './use-wave.ts'
import type { Wave } from './wave.ts'

/** Seconds the arrow keys go. */
const leap = 5
const back = { icon: IconRewindBackward5, tip: 'Back 5 s (←)', label: 'Back 5 seconds' }
const forward = { icon: IconRewindForward5, tip: 'Forward 5 s (→)', label: 'Forward 5 seconds' }

interface PlayerProps {
  wave: Wave | undefined
  attach: (element: HTMLElement | null) => (() => void) | undefined
  title: string
  duration: number
  onZoom: (step: number) => void
}

/** The drawn sound with what plays it: buttons, keys, and the position. */
export function Player({ wave, attach, title, duration, onZoom }: PlayerProps) {
  const state = useWaveState(wave)
  const [verb, PlayIcon] = state === 'playing' ? ['Pause', IconPlayerPauseFilled] : ['Play', IconPlayerPlayFilled]
  const go = (by: number) => wave?.seek(wave.time() + by)
  useKeys({
    ' ': () => wave?.playPause(),
    ArrowLeft: () => go(-leap),
    ArrowRight: () => go(leap),
  })
  return (
    <div className="player">
      <WaveSlider wave={wave} attach={attach} title={title} duration={duration} />
      <div className="player-bar">
        <div className="player-buttons">
          <IconAction {...back} iconSize={20} variant="subtle" color="gray" onClick={() => go(-leap)} />
          <Tooltip label={`${verb} (space)`}>
            <ActionIcon size={44} radius="xl" aria-label={verb} onClick={() => wave?.playPause()}>
              <PlayIcon size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <IconAction {...forward} iconSize={20} variant="subtle" color="gray" onClick={() => go(leap)} />
          <Place wave={wave} duration={duration} />
        </div>
        <Zoom wave={wave} duration={duration} onZoom={onZoom} />
      </div>
      {state === 'loading' && <Waiting label="Preparing the audio" />}
    </div>
  )
}

function Place({ wave, duration }: { wave: Wave | undefined; duration: number }) {
  return (
    <span className="player-place">
      <b>{clock(useWaveTime(wave), 1)}</b> / {clock(duration)}
    </span>
  )
}

/** The drawing is for the mouse; the slider under it is for the keyboard and for screen readers. */
function WaveSlider({ wave, attach, title, duration }: Omit<PlayerProps, 'onZoom'>) {
  const time = Math.floor(useWaveTime(wave))
  return (
    <div className="wave-frame">
      <div ref={attach} className="wave" />
      <input
        type="range"
        aria-label={`Place in ${title}`}
        aria-valuetext={`${clock(time)} of ${clock(duration)}`}
        min={0}
        max={Math.floor(duration)}
        step={1}
        value={time}
        onChange={(event) => wave?.seek(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          if (event.key !== ' ') return
          event.preventDefault()
          wave?.playPause()
        }}
      />
    </div>
  )
}

/** Steps of the zoom: each shows half of what the one before does; the last shows about six seconds. */
function Zoom({ wave, duration, onZoom }: Pick<PlayerProps, 'wave' | 'duration' | 'onZoom'>) {
  const [step, setStep] = useState(0)
  const maxStep = Math.max(1, Math.round(Math.log2(duration / 6)))
  const change = (next: number) => {
    setStep(next)
    onZoom(next)
    const width = document.querySelector('.wave')?.clientWidth ?? 800
    wave?.zoom(next === 0 ? 0 : (width / duration) * 2 ** next)
  }
  return (
    <div className="player-zoom">
      <span aria-hidden>Zoom</span>
      <Slider
        thumbLabel="Zoom"
        min={0}
        max={maxStep}
        step={1}
        value={step}
        onChange={change}
        label={(value) => (value === 0 ? 'All of it' : `${2 ** value}×`)}
      />
    </div>
  )
}
