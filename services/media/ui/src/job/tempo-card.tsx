import { Button, Group, Text } from '@mantine/core'
import { Section, StatusBadge } from '@hearth/ui'
import { IconHandFinger, IconRestore } from '@tabler/icons-react'
import { useState } from 'react'
import type { Job } from '../api.ts'
import { confidenceWords } from '../jobs/job-words.ts'
import { useKeys } from '../keyboard/use-keys.ts'
import { Waiting } from '../progress/waiting.tsx'
import { addTap, tempoOf } from './tap-tempo.ts'
import type { Tempo } from './use-tempo.ts'

/** The tempo that was found, how sure that is, and the ways to put it right by ear. */
export function TempoCard({ job, tempo }: { job: Job; tempo: Tempo }) {
  return (
    <Section title="Tempo">
      {job.status === 'analysis' ? (
        <Waiting label="Finding the tempo" />
      ) : (
        <>
          <Present job={job} tempo={tempo} />
          <Correct tempo={tempo} />
        </>
      )}
    </Section>
  )
}

function Present({ job, tempo }: { job: Job; tempo: Tempo }) {
  const { text, tone } = confidenceWords(job.bpm === null ? null : job.bpm_confidence)
  return (
    <div className="tempo">
      <p className="big-figure">
        {tempo.bpm ?? '–'} <small>BPM</small>
      </p>
      {tempo.isOwn ? (
        <StatusBadge tone="accent">Set by you</StatusBadge>
      ) : (
        <StatusBadge tone={tone}>{text}</StatusBadge>
      )}
      <Text size="sm" c="dimmed">
        {sentenceOf(job, tempo)}
      </Text>
    </div>
  )
}

function sentenceOf({ bpm, bpm_confidence: confidence }: Job, { isOwn }: Tempo): string {
  if (bpm === null) return isOwn ? 'No tempo was found.' : 'No steady beat was found. Tap along to set one.'
  const percent = confidence === null ? '' : `, ${Math.round(confidence * 100)} % sure`
  return isOwn
    ? `Found: ${bpm} BPM${percent}. Yours counts in this browser, for cutting on the beat.`
    : `Found by analysis${percent}.`
}

function Correct({ tempo }: { tempo: Tempo }) {
  const [taps, setTaps] = useState<readonly number[]>([])
  const tap = () => {
    const next = addTap(taps, performance.now())
    setTaps(next)
    const heard = tempoOf(next)
    if (heard !== undefined) tempo.set(heard)
  }
  useKeys({ t: tap })
  const scale = (factor: number) => () => tempo.bpm !== undefined && tempo.set(tempo.bpm * factor)
  return (
    <Group gap="xs" mt="sm">
      <Button variant="default" disabled={tempo.bpm === undefined} onClick={scale(0.5)} aria-label="Half the tempo">
        ÷ 2
      </Button>
      <Button variant="default" disabled={tempo.bpm === undefined} onClick={scale(2)} aria-label="Double the tempo">
        × 2
      </Button>
      <Button variant="default" leftSection={<IconHandFinger size={16} aria-hidden />} onClick={tap}>
        Tap{taps.length > 0 && taps.length < 3 ? ` (${3 - taps.length} more)` : ''}
      </Button>
      {tempo.isOwn && (
        <Button
          variant="subtle"
          leftSection={<IconRestore size={16} aria-hidden />}
          onClick={() => {
            setTaps([])
            tempo.reset()
          }}
        >
          As found
        </Button>
      )}
    </Group>
  )
}
