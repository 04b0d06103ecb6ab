import { Group, NumberInput, Select, Switch, Text } from '@mantine/core'
import { answer, Problem, Section, useAction } from '@hearth/ui'
import { IconFileExport } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { api, keys, ofJob, type Export, type ExportRequest, type Workbench } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { exportProblem, requestOf } from './export-request.ts'
import type { Content } from './session.ts'
import type { WorkbenchContext, Edits } from './use-edits.ts'

type Settings = Content['export']

const formats: { value: Settings['format']; label: string }[] = [
  { value: 'wav', label: 'WAV' },
  { value: 'flac', label: 'FLAC' },
  { value: 'mp3-320', label: 'MP3, 320 kbit/s' },
  { value: 'mp3-192', label: 'MP3, 192 kbit/s' },
  { value: 'mp3-128', label: 'MP3, 128 kbit/s' },
  { value: 'mp3', label: 'MP3, variable' },
  { value: 'opus', label: 'Opus' },
]

const loudness = [
  { value: 'off', label: 'As it is' },
  { value: '-9', label: '−9 LUFS, clubs' },
  { value: '-14', label: '−14 LUFS, streaming' },
  { value: '-16', label: '−16 LUFS, podcasts' },
  { value: '-18', label: '−18 LUFS, ReplayGain' },
  { value: '-23', label: '−23 LUFS, broadcast' },
]

/** Loudness choices, with one that was set elsewhere. */
const loudnessChoices = (value: number | null) =>
  value === null || loudness.some((choice) => choice.value === String(value))
    ? loudness
    : [...loudness, { value: String(value), label: `${value} LUFS` }]

/** What happens to the parts, and the button that exports them. */
export function ExportCard(props: {
  jobId: string
  context: WorkbenchContext
  edits: Edits
  stretch: Workbench['stretch']
}) {
  const { jobId, context, edits, stretch } = props
  const { parts, export: settings } = context.session.content
  const set = (values: Partial<Settings>) =>
    edits.run({ type: 'set-export', values }, `export ${Object.keys(values).join(' ')}`)
  const isStretched = settings.semitones !== 0 || settings.tempo_percent !== 100
  return (
    <Section title="Export">
      <div className="workbench-export">
        <div className="workbench-settings">
          <Select
            label="Format"
            data={formats}
            value={settings.format}
            allowDeselect={false}
            onChange={(format) => set({ format: format ?? 'wav' })}
          />
          <Select
            label="Loudness"
            data={loudnessChoices(settings.loudness_lufs)}
            value={settings.loudness_lufs === null ? 'off' : String(settings.loudness_lufs)}
            allowDeselect={false}
            onChange={(value) => set({ loudness_lufs: value === 'off' || value === null ? null : Number(value) })}
          />
          <NumberInput
            label="Pitch, semitones"
            min={-12}
            max={12}
            step={1}
            decimalScale={2}
            value={settings.semitones}
            onChange={(value) => typeof value === 'number' && Math.abs(value) <= 12 && set({ semitones: value })}
          />
          <NumberInput
            label="Tempo"
            suffix=" %"
            min={50}
            max={200}
            step={1}
            decimalScale={2}
            value={settings.tempo_percent}
            onChange={(value) =>
              typeof value === 'number' && value >= 50 && value <= 200 && set({ tempo_percent: value })
            }
          />
        </div>
        <Switch
          label="All parts in one file"
          checked={settings.joined}
          onChange={(event) => set({ joined: event.currentTarget.checked })}
        />
        {settings.tempo_percent !== 100 && <ListenAtTempo context={context} percent={settings.tempo_percent} />}
        {isStretched && (
          <Text size="sm" c="dimmed">
            {stretch === 'rubberband'
              ? 'Pitch and tempo change independently, with Rubber Band.'
              : 'Pitch and tempo change independently, with the plain filter of this server’s ffmpeg; one with Rubber Band sounds better.'}
            {context.beats !== undefined &&
              settings.tempo_percent !== 100 &&
              ` ${newTempo(context.beats.bpm, settings)}`}
          </Text>
        )}
        <ExportButtons jobId={jobId} context={context} problem={exportProblem(parts, settings)} />
      </div>
    </Section>
  )
}

/** Has the player play at the tempo of the export, at the pitch of the original. */
function ListenAtTempo({ context: { deck }, percent }: { context: WorkbenchContext; percent: number }) {
  const [isOn, setOn] = useState(false)
  useEffect(() => {
    deck?.setRate(isOn ? percent / 100 : 1)
    return () => deck?.setRate(1)
  }, [deck, isOn, percent])
  return <Switch label="Listen at this tempo" checked={isOn} onChange={(event) => setOn(event.currentTarget.checked)} />
}

const newTempo = (bpm: number, { tempo_percent }: Settings): string =>
  `${Math.round(bpm * 10) / 10} BPM become ${Math.round((bpm * tempo_percent) / 10) / 10}.`

function ExportButtons({
  jobId,
  context,
  problem,
}: {
  jobId: string
  context: WorkbenchContext
  problem: string | undefined
}) {
  const { selected, session } = context
  const { parts, export: settings } = session.content
  const part = parts.find(({ id }) => id === selected)
  const start = useAction<ExportRequest, Export>({
    run: (body) => answer(api.POST('/api/jobs/{job_id}/exports', { ...ofJob(jobId), body })),
    done: () => 'The export has begun; it goes on when you leave this page',
    renew: [keys.exports(jobId)],
    onProblem: () => undefined,
  })
  const count = parts.length
  return (
    <>
      <Problem text={start.error?.message} />
      <Group gap="sm">
        <ActionButton
          icon={IconFileExport}
          variant="filled"
          disabled={problem !== undefined}
          loading={start.isPending}
          onClick={() => start.mutate(requestOf(parts, settings))}
        >
          {count < 2 ? 'Export part' : `Export ${count} parts`}
        </ActionButton>
        {part !== undefined && count > 1 && (
          <ActionButton
            icon={IconFileExport}
            disabled={exportProblem([part], settings) !== undefined}
            loading={start.isPending}
            onClick={() => start.mutate(requestOf([part], settings))}
          >
            Only the selected one
          </ActionButton>
        )}
      </Group>
      {problem !== undefined && (
        <Text size="sm" c="dimmed">
          {problem}.
        </Text>
      )}
    </>
  )
}
