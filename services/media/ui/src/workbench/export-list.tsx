import { Button, Group, Progress, Text } from '@mantine/core'
import { answer, formatBytes, IconAction, QueryState, RelativeTime, Section, useAction } from '@hearth/ui'
import { IconBan, IconDownload, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Export } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { clock } from '../jobs/job-labels.ts'
import { useDownload } from '../jobs/use-job-actions.ts'

const ofExport = (jobId: string, { id }: Export) => ({ params: { path: { job_id: jobId, export_id: id } } })

/** The exports of a job: how they go, and their files. */
export function ExportList({ jobId }: { jobId: string }) {
  const exports = useQuery({
    queryKey: keys.exports(jobId),
    queryFn: () => answer(api.GET('/api/jobs/{job_id}/exports', { params: { path: { job_id: jobId } } })),
  })
  return (
    <Section title="Exported files">
      {exports.data === undefined && <QueryState query={exports} lines={1} />}
      {exports.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing was exported yet.
        </Text>
      )}
      <ul className="plain-list workbench-files" aria-label="Exports">
        {exports.data?.map((one) => (
          <li key={one.id}>
            <ExportItem jobId={jobId} one={one} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function ExportItem({ jobId, one }: { jobId: string; one: Export }) {
  const renew = [keys.exports(jobId)]
  const cancel = useAction({
    run: () => answer(api.POST('/api/jobs/{job_id}/exports/{export_id}/cancel', ofExport(jobId, one))),
    done: () => 'The export was cancelled',
    renew,
  })
  const remove = useAction({
    run: () => answer(api.DELETE('/api/jobs/{job_id}/exports/{export_id}', ofExport(jobId, one))),
    done: () => 'The export was deleted',
    renew,
  })
  const isGoing = one.status === 'queued' || one.status === 'running'
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <span className="workbench-export-head">
          <b>{describe(one)}</b>
          <small>
            {stateOf(one)} · <RelativeTime value={one.created_at} />
          </small>
        </span>
        <Group gap={2} wrap="nowrap">
          {isGoing ? (
            <IconAction
              icon={IconBan}
              tip="Cancel"
              label={`Cancel: ${describe(one)}`}
              onClick={() => cancel.mutate()}
            />
          ) : (
            <IconAction
              icon={IconTrash}
              tip="Delete with its files"
              label={`Delete: ${describe(one)}`}
              onClick={() => remove.mutate()}
            />
          )}
        </Group>
      </Group>
      {isGoing && <Progress value={one.progress} aria-label={`Progress of ${describe(one)}`} />}
      {one.files.length > 0 && <Files jobId={jobId} one={one} />}
    </>
  )
}

function describe({ part_count, format, joined, tempo_percent, semitones, loudness_lufs }: Export): string {
  const parts = part_count === 1 ? '1 part' : `${part_count} parts${joined ? ' in one file' : ''}`
  const changes = [
    ...(tempo_percent === 100 ? [] : [`${tempo_percent} %`]),
    ...(semitones === 0 ? [] : [`${semitones > 0 ? '+' : '−'}${Math.abs(semitones)} semitones`]),
    ...(loudness_lufs === null ? [] : [`${loudness_lufs} LUFS`]),
  ]
  return [parts, format.toUpperCase(), ...changes].join(', ')
}

function stateOf({ status, progress, message, stretch }: Export): string {
  switch (status) {
    case 'queued':
      return 'Waiting'
    case 'running':
      return `${progress} %`
    case 'done':
      return stretch === 'atempo' ? 'Done, without Rubber Band' : 'Done'
    case 'failed':
      return `Failed: ${message ?? 'the reason is in the log'}`
    case 'cancelled':
      return 'Cancelled'
  }
}

function Files({ jobId, one }: { jobId: string; one: Export }) {
  const save = useDownload()
  const base = `/api/jobs/${jobId}/exports/${one.id}`
  const path = (number: number) => `${base}/files/${number}`
  return (
    <>
      <ul className="plain-list workbench-file-list" aria-label={`Files of ${describe(one)}`}>
        {one.files.map((file) => (
          <li key={file.number}>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() => save.mutate(path(file.number))}
            >
              {file.name}
            </Button>
            <small>{factsOf(file)}</small>
          </li>
        ))}
      </ul>
      {one.files.length > 1 && (
        <div>
          <ActionButton
            icon={IconDownload}
            size="xs"
            loading={save.isPending}
            onClick={() => save.mutate(`${base}/all.zip`)}
          >
            Download all (ZIP)
          </ActionButton>
        </div>
      )}
    </>
  )
}

function factsOf({ duration_seconds, size_bytes, samples, loudness_lufs, limited }: Export['files'][number]): string {
  const level = loudness_lufs === null ? [] : [`${loudness_lufs} LUFS${limited ? ', peaks held back' : ''}`]
  return [
    clock(duration_seconds, 2),
    `${samples.toLocaleString('en-US')} samples`,
    formatBytes(size_bytes),
    ...level,
  ].join(' · ')
}
