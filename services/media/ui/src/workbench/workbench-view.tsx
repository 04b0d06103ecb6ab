import { ActionIcon, Group, Title, Tooltip } from '@mantine/core'
import { Problem } from '@hearth/ui'
import { IconArrowBackUp, IconArrowForwardUp, IconArrowLeft, IconHelpCircle } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { BeatGrid, Job, Workbench } from '../api.ts'
import { useStemsThere } from '../job/use-stems.ts'
import { JobFacts } from '../jobs/job-facts.tsx'
import { titleOf } from '../jobs/job.ts'
import { KeysHelp } from '../keyboard/keys.tsx'
import { CueList } from './cue-list.tsx'
import { EditTools, type BeatState } from './edit-tools.tsx'
import { ExportCard } from './export-card.tsx'
import { ExportList } from './export-list.tsx'
import { Overview } from './overview.tsx'
import { PartList } from './part-list.tsx'
import type { Peaks } from './peaks.ts'
import { SaveProblem, SaveStatus } from './save-status.tsx'
import { Transport } from './transport.tsx'
import { useWaveCanvas } from './use-wave-canvas.ts'
import { useDeck, useDeckValue, usePlayhead } from './use-deck.ts'
import { createEdits, useCountedBeats, type WorkbenchContext, type Edits } from './use-edits.ts'
import { useSession, type WorkbenchSession } from './use-session.ts'
import { useWorkbenchKeys, workbenchKeys } from './workbench-keys.ts'

/** What the desk needs of a job, read. */
export interface WorkbenchViewProps {
  job: Job
  loaded: Workbench
  peaks: Peaks
  /** Undefined while the beats are being found; null for a sound without. */
  found: BeatGrid | null | undefined
}

/** Everything of the workbench: the wave, what plays it, the tools, and the lists. */
export function WorkbenchView({ job, loaded, peaks, found }: WorkbenchViewProps) {
  const { duration } = peaks
  const session = useSession(job.id, loaded, duration)
  const [selected, select] = useState<string>()
  const [isHelping, setHelping] = useState(false)
  const beats = useCountedBeats(found ?? undefined, session.content.grid)
  const stems = useStemsThere(job.id, '')
  const { deck, attach: attachDeck } = useDeck(job.id, job.type === 'audio' && stems.data === true)
  const { parts, cues } = session.content
  const { wave, attach } = useWaveCanvas(
    { peaks, parts, cues, beats, selected, playhead: 0 },
    {
      seek: (seconds) => deck?.seek(seconds),
      select,
      placePart: (id, { anchor, to }, gesture) =>
        edits.run({ type: 'place-part', id, start: anchor, end: edits.snap(to) }, gesture),
      movePart: (id, to, gesture) => edits.run({ type: 'move-part', id, to: edits.snap(to) }, gesture),
      moveCue: (id, to, gesture) => edits.run({ type: 'change-cue', id, values: { at: edits.snap(to) } }, gesture),
      addPart: (start, end, gesture) => edits.add(edits.snap(start), end, { gesture }),
    },
  )
  const context: WorkbenchContext = { session, deck, wave, beats, duration, selected, select }
  const edits = createEdits(context)
  usePlayhead(deck, wave)
  return (
    <div className="hearth-stack workbench">
      <Head job={job} session={session} onHelp={() => setHelping(true)} />
      <SaveProblem session={session} />
      <section ref={attachDeck} className="hearth-card workbench-player" aria-label="Waveform">
        {wave !== undefined && <Overview wave={wave} peaks={peaks} parts={parts} />}
        <canvas ref={attach} className="workbench-wave" aria-hidden />
        <Playing context={context} edits={edits} job={job} onHelp={() => setHelping(true)} />
        <EditTools context={context} edits={edits} state={stateOf(found, beats)} />
      </section>
      <div className="workbench-columns">
        <div className="hearth-stack">
          <PartList context={context} edits={edits} />
          <CueList context={context} edits={edits} />
        </div>
        <div className="hearth-stack">
          <ExportCard jobId={job.id} context={context} edits={edits} stretch={loaded.stretch} />
          <ExportList jobId={job.id} />
        </div>
      </div>
      <KeysHelp opened={isHelping} onClose={() => setHelping(false)} keys={workbenchKeys} />
    </div>
  )
}

function stateOf(found: BeatGrid | null | undefined, beats: WorkbenchContext['beats']): BeatState {
  if (found === undefined) return 'looking'
  return found === null || beats === undefined ? 'unknown' : { found }
}

/** Transport and keys. */
function Playing(props: { context: WorkbenchContext; edits: Edits; job: Job; onHelp: () => void }) {
  const { context, edits, job, onHelp } = props
  const { deck, selected, session } = context
  const [isLooping, setLooping] = useState(false)
  const part = session.content.parts.find(({ id }) => id === selected)
  const [start, end] = [part?.start, part?.end]
  useEffect(() => {
    deck?.setLoop(isLooping && start !== undefined && end !== undefined ? { start, end } : undefined)
  }, [deck, isLooping, start, end])
  useWorkbenchKeys(context, edits, {
    toggleLoop: () => setLooping(!isLooping),
    switchSound: () => {
      if (deck === undefined) return
      const names = deck.sounds
      deck.hear(names[(names.indexOf(deck.heard) + 1) % names.length] ?? 'original')
    },
    help: onHelp,
  })
  return (
    <>
      <Transport context={context} edits={edits} isLooping={isLooping} onLoop={setLooping} title={titleOf(job)} />
      <Problem text={useDeckValue(deck, (one) => one.problem, undefined)} />
    </>
  )
}

function Head({ job, session, onHelp }: { job: Job; session: WorkbenchSession; onHelp: () => void }) {
  const { dispatch, canUndo, canRedo } = session
  return (
    <header className="workbench-head">
      <div>
        <Link href={`/job/${job.id}`} className="back-link">
          <IconArrowLeft size={16} aria-hidden /> Download
        </Link>
        <Title order={1}>{titleOf(job)}</Title>
        <JobFacts job={job} />
      </div>
      <Group gap={4} wrap="nowrap">
        <SaveStatus session={session} />
        <Step icon={IconHelpCircle} keys="?" label="Show the keys" isOn onClick={onHelp} />
        <Step
          icon={IconArrowBackUp}
          keys="Ctrl Z"
          label="Undo"
          isOn={canUndo}
          onClick={() => dispatch({ type: 'undo' })}
        />
        <Step
          icon={IconArrowForwardUp}
          keys="Ctrl Shift Z"
          label="Redo"
          isOn={canRedo}
          onClick={() => dispatch({ type: 'redo' })}
        />
      </Group>
    </header>
  )
}

function Step(props: { icon: typeof IconArrowLeft; keys: string; label: string; isOn: boolean; onClick: () => void }) {
  const { icon: Icon, keys, label, isOn, onClick } = props
  return (
    <Tooltip label={`${label} (${keys})`}>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} disabled={!isOn} onClick={onClick}>
        <Icon size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
