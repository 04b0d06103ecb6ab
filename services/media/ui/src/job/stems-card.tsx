import { Button, Modal, NativeSelect, Stack, Text } from '@mantine/core'
import { describeError, formatCount, LoadingLines, Problem, QueryState, Section } from '@hearth/ui'
import { IconDownload, IconMicrophone2, IconMusic } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ActionButton } from '../buttons.tsx'
import { keys, readSettings, readStemStatus, type Job, type StemEvent, type StemStatus } from '../api.ts'
import { clock } from '../jobs/job-labels.ts'
import { useDownloadButton } from '../jobs/use-job-actions.ts'
import { Bar } from '../progress/waiting.tsx'
import { formatTime } from './part.ts'
import { costOf, stemProblem, stemProgress, type StemSource } from './stem-source.ts'
import { useTrims } from './trim-list.tsx'
import { stemPath, useSeparate, useStemEvent, useStemsThere } from './use-stems.ts'

/** Stems of a sound: vocals and accompaniment, separated by an external service after a confirmation. */
export function StemsCard({ job }: { job: Job }) {
  const sources = useSources(job)
  const [part, setPart] = useState('')
  const source = sources.find((one) => one.part === part) ?? sources[0]
  if (source === undefined) return null
  return (
    <Section title="Stems">
      <Stack gap="sm">
        {sources.length > 1 && (
          <NativeSelect
            label="Of"
            value={source.part}
            onChange={(event) => setPart(event.currentTarget.value)}
            data={sources.map(({ part: value, label }) => ({ value, label }))}
          />
        )}
        <Stems key={source.part} job={job} source={source} />
      </Stack>
    </Section>
  )
}

function useSources(job: Job): StemSource[] {
  const trims = useTrims(job.id)
  const whole = { part: '', label: 'All of it', seconds: job.duration_seconds ?? 0 }
  const parts = (trims.data ?? []).map(({ trim_id: id, start, end, duration }) => ({
    part: id,
    label: `${formatTime(start)} – ${formatTime(end)}`,
    seconds: duration,
  }))
  return [whole, ...parts]
}

function Stems({ job, source }: { job: Job; source: StemSource }) {
  const there = useStemsThere(job.id, source.part)
  const event = useStemEvent(job.id)
  const separate = useSeparate(job.id)
  const isRunning = separate.isPending || (event !== undefined && event.stage !== 'done' && event.stage !== 'failed')
  if (isRunning) return <Running event={event} />
  if (there.data === true) return <StemPlayers job={job} part={source.part} />
  if (there.data === undefined) return <QueryState query={there} lines={1} />
  return (
    <>
      <Problem text={event?.stage === 'failed' ? (event.message ?? 'The separation failed') : undefined} />
      <Offer source={source} onStart={() => separate.mutate(source.part)} />
    </>
  )
}

function Running({ event }: { event: StemEvent | undefined }) {
  const { text, percent } = stemProgress(event ?? { stage: 'upload', progress: 0 })
  return (
    <div className="job-progress">
      <p>
        <span>{text}</span>
        <b>{percent} %</b>
      </p>
      <Bar label={text} value={percent} />
      <Text size="xs" c="dimmed">
        This takes some minutes and goes on when you leave the page.
      </Text>
    </div>
  )
}

/** Cost and availability of a separation, before it is started. */
function Offer({ source, onStart }: { source: StemSource; onStart: () => void }) {
  const [isConfirming, setConfirming] = useState(false)
  const status = useQuery({ queryKey: keys.stemStatus, queryFn: () => readStemStatus() })
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  if (status.data === undefined)
    return status.error === null ? <LoadingLines lines={1} /> : <Problem text={describeError(status.error)} />
  if (!status.data.configured || status.data.token_valid === false) return <NotSetUp status={status.data} />
  const { remaining_minutes: minutesLeft } = status.data
  const problem = stemProblem(source, { isGuarded: settings.data?.stemsvc_duration_guard !== false, minutesLeft })
  const cost = `about ${formatCount(costOf(source), 'minute')}`
  return (
    <>
      <Text size="sm" c="dimmed">
        A service elsewhere separates voice and accompaniment. It takes {cost} of{' '}
        {minutesLeft === null ? 'your account' : `the ${formatCount(minutesLeft, 'minute')} left`}.
      </Text>
      <Problem text={problem} />
      <ActionButton
        icon={IconMicrophone2}
        className="stem-start"
        disabled={problem !== undefined}
        onClick={() => setConfirming(true)}
      >
        Separate
      </ActionButton>
      <Modal opened={isConfirming} onClose={() => setConfirming(false)} title="Separate vocals and accompaniment?">
        <Stack>
          <Text>
            {source.part === '' ? 'The sound' : `The part ${source.label}`} ({clock(source.seconds)}) is sent to the
            stem service, and {cost} of your account there are used up. That cannot be taken back.
          </Text>
          <div className="dialog-buttons">
            <Button variant="default" onClick={() => setConfirming(false)}>
              Not now
            </Button>
            <Button
              data-autofocus
              onClick={() => {
                setConfirming(false)
                onStart()
              }}
            >
              Use {formatCount(costOf(source), 'minute')}
            </Button>
          </div>
        </Stack>
      </Modal>
    </>
  )
}

function NotSetUp({ status }: { status: StemStatus }) {
  return (
    <Text size="sm" c="dimmed">
      {status.configured
        ? `The stem service does not accept the key: ${status.validation_error ?? 'it is not valid'}. `
        : 'Vocals and accompaniment can be separated by an external service, with your account there. '}
      <Link className="hearth-link" href="/settings?tab=stems">
        {status.configured ? 'Check the key' : 'Set it up'}
      </Link>
    </Text>
  )
}

const stems = [
  { name: 'vocals', label: 'Voice', Icon: IconMicrophone2 },
  { name: 'instrumental', label: 'Accompaniment', Icon: IconMusic },
] as const

function StemPlayers({ job, part }: { job: Job; part: string }) {
  const saving = useDownloadButton()
  return (
    <ul className="plain-list stems">
      {stems.map(({ name, label, Icon }) => {
        const path = stemPath(job.id, name, part)
        return (
          <li key={name}>
            <span className="stem-name">
              <Icon size={18} stroke={1.7} aria-hidden />
              <b>{label}</b>
              <ActionButton
                icon={IconDownload}
                size="xs"
                aria-label={`MP3 of the ${label.toLowerCase()}`}
                {...saving(path)}
              >
                MP3
              </ActionButton>
            </span>
            {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody wrote down what is sung */}
            <audio controls preload="none" src={path} aria-label={label} />
          </li>
        )
      })}
    </ul>
  )
}
