import { Anchor, Button, Group, Text } from '@mantine/core'
import { answer, describeError, Fact, formatCount, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconCheck, IconHandFinger, IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ActionButton } from '../buttons.tsx'
import { api, ofJob, type Job } from '../api.ts'
import { confidenceWords } from '../jobs/job-labels.ts'
import { showAnswer } from '../jobs/use-job-actions.ts'
import { useKeys } from '../keyboard/keys.tsx'
import { Waiting } from '../progress/waiting.tsx'
import { addTap, tempoOf } from './tap-tempo.ts'
import { TempoCurve } from './tempo-curve.tsx'
import { timeSignature, useBeats } from './use-beats.ts'

/** Tempo with its confidence, and the ways to correct it by ear. */
export function TempoCard({ job }: { job: Job }) {
  return (
    <Section title="Tempo">
      {job.status === 'analysis' ? (
        <Waiting label="Finding the tempo" />
      ) : (
        <>
          <Present job={job} />
          <Correct job={job} />
          {job.bpm !== null && <Beats job={job} />}
        </>
      )}
    </Section>
  )
}

function Present({ job: { status, bpm, bpm_confidence: confidence, analysis_pending: isPending } }: { job: Job }) {
  if (bpm === null && isPending) return <Waiting label="Finding the tempo" />
  if (bpm === null)
    return (
      <Text size="sm" c="dimmed">
        {status === 'analysis_done'
          ? 'No steady beat was found.'
          : 'The tempo was not looked for: the sound is longer than the settings allow, or its analysis failed.'}{' '}
        Listen and tap along to set a tempo.
      </Text>
    )
  const { text, tone } = confidenceWords(confidence)
  return (
    <div className="tempo">
      <p className="big-figure">
        {bpm} <small>BPM</small>
      </p>
      <StatusBadge tone={tone}>{text}</StatusBadge>
      <Text size="sm" c="dimmed">
        {sentenceOf(confidence)}
      </Text>
    </div>
  )
}

/** Metre, beats and the drift of the tempo; the server finds them when somebody looks for the first time. */
function Beats({ job }: { job: Job }) {
  const { data, error, isFetching, refetch } = useBeats(job)
  if (error !== null)
    return (
      <div className="beats">
        <Text size="sm" c="dimmed">
          The beats were not found: {describeError(error)}
        </Text>
        <ActionButton icon={IconRefresh} size="xs" loading={isFetching} onClick={() => void refetch()}>
          Try again
        </ActionButton>
      </div>
    )
  if (data === undefined)
    return (
      <div className="beats">
        <Waiting label="Finding the beats" />
      </div>
    )
  return (
    <div className="beats">
      <dl className="hearth-facts" data-start>
        <Fact name="Metre">{data.metre === null ? 'Not known' : timeSignature(data.metre)}</Fact>
        <Fact name="Beat grid">
          {formatCount(data.beats.length, 'beat')}
          {data.downbeats.length > 0 && ` in ${formatCount(data.downbeats.length, 'bar')}`}
        </Fact>
      </dl>
      {data.curve !== undefined && <TempoCurve curve={data.curve} />}
      <Anchor size="sm" href={`/api/jobs/${job.id}/beats`} download={`beats-${job.id}.json`}>
        Download beats (JSON)
      </Anchor>
    </div>
  )
}

function sentenceOf(confidence: number | null): string {
  if (confidence === null) return 'The confidence is not known.'
  if (confidence === 1) return 'Set by ear. It is part of the file name.'
  return `Found by analysis, ${Math.round(confidence * 100)} % sure. If it sounds off, try half or double.`
}

/** Range of tempi that the server accepts, BPM. */
const [slowest, fastest] = [20, 400]

function Correct({ job }: { job: Job }) {
  const cache = useQueryClient()
  const [taps, setTaps] = useState<readonly number[]>([])
  const change = useAction<number, Job>({
    run: (bpm) => answer(api.POST('/api/jobs/{job_id}/tempo', { ...ofJob(job.id), body: { bpm } })),
    done: ({ bpm }) => `The tempo is ${bpm} BPM now`,
    onDone: (changed) => {
      setTaps([])
      showAnswer(cache, changed, job.status)
    },
  })
  const tapped = tempoOf(taps)
  const tap = () => setTaps(addTap(taps, performance.now()))
  useKeys({ t: tap })
  const isPossible = (bpm: number) => bpm >= slowest && bpm <= fastest && !change.isPending
  const scale = (factor: number, label: string) => {
    const bpm = Math.round((job.bpm ?? 0) * factor)
    return (
      <Button variant="default" disabled={!isPossible(bpm)} onClick={() => change.mutate(bpm)}>
        {label}
      </Button>
    )
  }
  return (
    <Group gap="xs" mt="sm">
      {job.bpm !== null && (
        <>
          {scale(0.5, '÷ 2')}
          {scale(2, '× 2')}
        </>
      )}
      <ActionButton icon={IconHandFinger} onClick={tap}>
        {taps.length === 0
          ? 'Tap'
          : tapped === undefined
            ? `Tap (${3 - taps.length} more)`
            : `Tap: ${tapped.toFixed(1)}`}
      </ActionButton>
      {tapped !== undefined && (
        <ActionButton
          icon={IconCheck}
          variant="filled"
          disabled={!isPossible(Math.round(tapped))}
          loading={change.isPending}
          onClick={() => change.mutate(Math.round(tapped))}
        >
          Use {Math.round(tapped)}
        </ActionButton>
      )}
    </Group>
  )
}
