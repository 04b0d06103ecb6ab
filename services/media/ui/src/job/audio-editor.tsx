import { Text } from '@mantine/core'
import { answer, describeError, EmptyState, Problem, Section } from '@hearth/ui'
import { IconRefresh, IconWaveSawTool } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ActionButton } from '../buttons.tsx'
import { api, keys, ofJob, type Job, type Waveform } from '../api.ts'
import { titleOf } from '../jobs/job.ts'
import { Waiting } from '../progress/waiting.tsx'
import { Player } from './player.tsx'
import { TrimList } from './trim-list.tsx'
import { TrimTools } from './trim-tools.tsx'
import { usePart, usePartOnWave } from './use-part.ts'
import { useBeats } from './use-beats.ts'
import { useFineShape } from './use-fine-shape.ts'
import { useWave } from './use-wave.ts'

/** The sound of a job: to listen to, and to cut parts out of. Without its shape it can still be listened to. */
export function AudioEditor({ job }: { job: Job }) {
  const shape = useQuery({
    queryKey: keys.waveform(job.id),
    queryFn: () => answer(api.GET('/api/waveform/{job_id}', ofJob(job.id))),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const flat = useMemo<Waveform | undefined>(
    () => (job.duration_seconds === null ? undefined : { peaks: [], duration_seconds: job.duration_seconds }),
    [job.duration_seconds],
  )
  const drawn = shape.data ?? (shape.error === null ? undefined : flat)
  return (
    <Section title="Listen and cut">
      {shape.error !== null && (
        <div className="desk-note">
          <Text size="sm" c="dimmed">
            The waveform cannot be drawn: {describeError(shape.error)}
          </Text>
          <ActionButton icon={IconRefresh} size="xs" loading={shape.isFetching} onClick={() => void shape.refetch()}>
            Draw it again
          </ActionButton>
        </div>
      )}
      {drawn === undefined && shape.error === null && (
        <div className="wave-room">
          <Waiting label="Drawing the waveform" />
        </div>
      )}
      {drawn !== undefined && <Editor key={String(shape.data !== undefined)} job={job} shape={drawn} />}
      {drawn === undefined && shape.error !== null && (
        <EmptyState icon={IconWaveSawTool} title="There is nothing to play yet" />
      )}
    </Section>
  )
}

/** From this zoom on the server's shape is too coarse for the eye. */
const deepZoom = 3

function Editor({ job, shape }: { job: Job; shape: Waveform }) {
  const source = `/audio-source/${job.id}`
  const [problem, setProblem] = useState<string>()
  const [isDeep, setDeep] = useState(false)
  const fine = useFineShape(source, shape, isDeep)
  const tools = usePart(fine.data ?? shape, job.bpm ?? undefined)
  const { wave, attach } = useWave({
    source,
    shape,
    onPart: tools.choose,
    onProblem: () => setProblem('The audio cannot be played. Its file can still be downloaded.'),
  })
  const { data: beats } = useBeats(job)
  useEffect(() => wave?.showBeats(beats), [wave, beats])
  useEffect(() => {
    if (fine.data !== undefined) wave?.refine(fine.data)
  }, [wave, fine.data])
  const duration = shape.duration_seconds
  usePartOnWave(wave, tools, duration)
  return (
    <div className="desk">
      <Player
        wave={wave}
        attach={attach}
        title={titleOf(job)}
        duration={duration}
        onZoom={(step) => step >= deepZoom && setDeep(true)}
      />
      <Problem text={problem} />
      {fine.isFetching && <Waiting label="Loading more detail" />}
      <TrimTools
        jobId={job.id}
        duration={duration}
        wave={wave}
        tools={tools}
        beats={fine.isFetching ? 'looking' : tools.grid === undefined ? 'unknown' : 'known'}
        onSnap={(snap) => {
          tools.setSnap(snap)
          if (snap !== 'off') setDeep(true)
        }}
      />
      <TrimList
        jobId={job.id}
        onShow={(part) => {
          tools.take(part)
          wave?.playFrom(part.start)
        }}
      />
    </div>
  )
}
