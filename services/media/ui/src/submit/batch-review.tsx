import { Button, Checkbox, Group, Text } from '@mantine/core'
import { formatCount, StatusBadge, useNow } from '@hearth/ui'
import { IconDownload, IconPlayerStop } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ImportAnswer } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { shortAddress } from '../jobs/job.ts'
import { PlatformIcon } from '../jobs/platform-icon.tsx'
import { showAnswer } from '../jobs/use-job-actions.ts'
import { useImport } from '../lists/use-import.ts'
import { Bar } from '../progress/waiting.tsx'
import { platformOf } from './address-text.ts'
import { batch, useBatch, type BatchItem, type BatchState } from './batch.ts'
import type { Choices } from './choices.ts'
import { refusalText, submitOne } from './submit-job.ts'

/** More addresses than this wait on the server, which takes ten a minute from a page. */
const maxDirect = 10

/** Several addresses: first a list to choose from, then how each of them goes. */
export function BatchReview(props: { addresses: readonly string[]; choices: Choices; onStarted: () => void }) {
  const state = useBatch()
  const cache = useQueryClient()
  const isList = props.addresses.length > 1
  if (state.items.length > 0 && (state.isRunning || !isList)) return <BatchProgress state={state} />
  if (!isList) return null
  const start = (chosen: readonly string[]) => {
    batch.start(chosen, async (address, isConfirmed) => {
      const { job, ...result } = await submitOne(address, props.choices, isConfirmed)
      if (job !== undefined) showAnswer(cache, job, undefined)
      return result
    })
    props.onStarted()
  }
  return <Choose key={props.addresses.join(' ')} {...props} onStart={start} />
}

interface ChooseProps {
  addresses: readonly string[]
  choices: Choices
  onStart: (chosen: string[]) => void
  /** Called when nothing is left to do or to read. */
  onStarted: () => void
}

function Choose({ addresses, choices, onStart, onStarted }: ChooseProps) {
  const [left, setLeft] = useState<readonly string[]>([])
  const [refused, setRefused] = useState<ImportAnswer['results']>([])
  const many = useImport(({ results }) => {
    const those = results.filter(({ outcome }) => outcome === 'refused')
    setRefused(those)
    if (those.length === 0) onStarted()
  })
  if (refused.length > 0) return <Refused results={refused} onClose={onStarted} />
  const chosen = addresses.filter((address) => !left.includes(address))
  const toggle = (address: string) =>
    setLeft(left.includes(address) ? left.filter((other) => other !== address) : [...left, address])
  return (
    <div className="batch">
      <ul className="batch-list" aria-label="Addresses">
        {addresses.map((address) => (
          <li key={address}>
            <Checkbox
              checked={!left.includes(address)}
              onChange={() => toggle(address)}
              label={
                <span className="batch-address">
                  <PlatformIcon platform={platformOf(address)} />
                  {shortAddress(address)}
                </span>
              }
            />
          </li>
        ))}
      </ul>
      <Group justify="flex-end">
        <ActionButton
          icon={IconDownload}
          variant="filled"
          disabled={chosen.length === 0}
          loading={many.isPending}
          onClick={() => (chosen.length > maxDirect ? many.mutate({ urls: chosen, choices }) : onStart(chosen))}
        >
          Download {chosen.length} of {addresses.length}
        </ActionButton>
      </Group>
    </div>
  )
}

/** Addresses that the server refused, each with its reason. */
function Refused({ results, onClose }: { results: ImportAnswer['results']; onClose: () => void }) {
  return (
    <div className="batch">
      <div className="batch-head">
        <Text fw={600} component="output">
          {formatCount(results.length, 'address', 'addresses')} refused
        </Text>
        <Button variant="default" size="xs" onClick={onClose}>
          Close
        </Button>
      </div>
      <ul className="batch-list" aria-label="Refused addresses">
        {results.map(({ url, detail }) => (
          <BatchLine key={url} item={{ address: url, state: 'failed', message: refusalText(detail ?? '') }} />
        ))}
      </ul>
    </div>
  )
}

function BatchProgress({ state }: { state: BatchState }) {
  const { items, isRunning } = state
  const settled = items.filter((item) => item.state !== 'waiting' && item.state !== 'sending').length
  const added = items.filter((item) => item.state === 'added').length
  return (
    <div className="batch">
      <div className="batch-head">
        <Text fw={600} component="output">
          {isRunning ? `Adding: ${settled} of ${items.length}` : `${formatCount(added, 'download')} added`}
          <Pause until={state.pausedUntil} />
        </Text>
        {isRunning ? (
          <ActionButton icon={IconPlayerStop} size="xs" onClick={() => batch.stop()}>
            Stop
          </ActionButton>
        ) : (
          <Button variant="default" size="xs" onClick={() => batch.clear()}>
            Close
          </Button>
        )}
      </div>
      <Bar label="Addresses added" value={Math.round((settled / items.length) * 100)} />
      <ul className="batch-list" aria-label="Addresses">
        {items.map((item) => (
          <BatchLine key={item.address} item={item} />
        ))}
      </ul>
    </div>
  )
}

function Pause({ until }: { until: number | undefined }) {
  const now = useNow().getTime()
  if (until === undefined) return null
  const seconds = Math.max(1, Math.ceil((until - now) / 1000))
  return (
    <Text span size="sm" c="dimmed" fw={400}>
      {' '}
      · the server takes ten a minute; on in about {seconds} s
    </Text>
  )
}

const itemWords = {
  waiting: { text: 'Waiting', tone: 'quiet' },
  sending: { text: 'Adding', tone: 'accent' },
  added: { text: 'Added', tone: 'good' },
  duplicate: { text: 'Already downloaded', tone: 'warn' },
  failed: { text: 'Refused', tone: 'bad' },
} as const

function BatchLine({ item }: { item: BatchItem }) {
  const { text, tone } = itemWords[item.state]
  const name = item.title ?? shortAddress(item.address)
  return (
    <li className="batch-line">
      <span className="batch-address">
        <PlatformIcon platform={platformOf(item.address)} />
        {item.jobId === undefined ? (
          <span>{name}</span>
        ) : (
          <Link className="hearth-link" href={`/job/${item.jobId}`}>
            {name}
          </Link>
        )}
      </span>
      <span className="batch-outcome">
        {item.state === 'duplicate' && (
          <Button variant="subtle" size="compact-xs" onClick={() => batch.again(item.address)}>
            Download again
          </Button>
        )}
        <StatusBadge tone={tone}>{text}</StatusBadge>
      </span>
      {item.message !== undefined && item.state === 'failed' && (
        <Text size="xs" c="dimmed" className="batch-reason">
          {item.message}
        </Text>
      )}
    </li>
  )
}
