import { Group, Text } from '@mantine/core'
import { answer, Fact, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api, ofJob, type Job } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { confidenceWords } from '../jobs/job-labels.ts'
import { showAnswer } from '../jobs/use-job-actions.ts'
import { Waiting } from '../progress/waiting.tsx'
import { decibels, mixesWith, pause } from '../jobs/sound-figures.ts'

/** Key, loudness and silence of a sound, and the way to have it analysed again. */
export function SoundCard({ job }: { job: Job }) {
  return (
    <Section title="Key and loudness">
      {job.status === 'analysis' ? (
        <Waiting label="Analysing the sound" />
      ) : (
        <>
          <Key job={job} />
          <Levels job={job} />
          <Again job={job} />
        </>
      )}
    </Section>
  )
}

const isAnalysed = (job: Job): boolean => job.key !== null || job.silence_start_seconds !== null

function Key({ job }: { job: Job }) {
  const { key, key_camelot: camelot, key_confidence: confidence } = job
  if (key === null || camelot === null)
    return (
      <Text size="sm" c="dimmed">
        {isAnalysed(job)
          ? 'No key was found: the sound has no clear pitches, or they fit several keys.'
          : 'This sound was not analysed for key and loudness yet.'}
      </Text>
    )
  const { text, tone } = confidenceWords(confidence)
  return (
    <div className="tempo">
      <p className="big-figure">
        {key} <small className="camelot">{camelot}</small>
      </p>
      <StatusBadge tone={tone}>{text}</StatusBadge>
      <Text size="sm" c="dimmed">
        Mixes with {mixesWith(camelot).join(', ')} on the Camelot wheel.
      </Text>
    </div>
  )
}

function Levels({ job }: { job: Job }) {
  if (job.silence_start_seconds === null) return null
  const { loudness_lufs: loudness, loudness_range_lu: range, true_peak_dbtp: peak } = job
  return (
    <dl className="hearth-facts sound-levels" data-start>
      <Fact name="Loudness">{loudness === null ? 'Silent' : `${decibels(loudness)} LUFS`}</Fact>
      {range !== null && <Fact name="Loudness range">{`${decibels(range)} LU`}</Fact>}
      {peak !== null && (
        <Fact name="True peak">
          {decibels(peak)} dBTP{peak > 0 && ', clips when played without headroom'}
        </Fact>
      )}
      <Fact name="Leading silence">{pause(job.silence_start_seconds)}</Fact>
      <Fact name="Trailing silence">{pause(job.silence_end_seconds ?? 0)}</Fact>
    </dl>
  )
}

function Again({ job }: { job: Job }) {
  const cache = useQueryClient()
  const analyse = useAction<void, Job>({
    run: () => answer(api.POST('/api/jobs/{job_id}/analyse', ofJob(job.id))),
    onDone: (changed) => showAnswer(cache, changed, job.status),
  })
  return (
    <Group gap="xs" mt="sm">
      {job.analysis_pending ? (
        <Waiting label="Analysing the sound" />
      ) : (
        <ActionButton icon={IconRefresh} loading={analyse.isPending} onClick={() => analyse.mutate()}>
          {isAnalysed(job) ? 'Analyse again' : 'Analyse now'}
        </ActionButton>
      )}
    </Group>
  )
}
