import { Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import { answer, describeError, formatCount, Problem, StatusBadge } from '@hearth/ui'
import { IconDownload, IconRepeat, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, keys, type MediaList } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { shortAddress } from '../jobs/job.ts'
import { clock } from '../jobs/job-labels.ts'
import { Waiting } from '../progress/waiting.tsx'
import type { Choices } from '../submit/choices.ts'
import { FollowDialog } from './follow-dialog.tsx'
import { useImport } from './use-import.ts'
import './lists.css'

interface ListReviewProps {
  address: string
  choices: Choices
  onStarted: () => void
}

/** A playlist or channel: its media to choose from, and a button to follow it. */
export function ListReview({ address, choices, onStarted }: ListReviewProps) {
  const list = useQuery({
    queryKey: keys.playlist(address, choices.type),
    queryFn: ({ signal }) =>
      answer(api.GET('/api/playlist', { params: { query: { url: address, type: choices.type } }, signal })),
    staleTime: 60_000,
    retry: false,
  })
  if (list.error !== null) return <Problem text={describeError(list.error)} />
  if (list.data === undefined) return <Waiting label="Reading the list" max={90} />
  return <ChooseMedia list={list.data} choices={choices} onStarted={onStarted} />
}

function ChooseMedia({ list, choices, onStarted }: { list: MediaList; choices: Choices; onStarted: () => void }) {
  const [text, setText] = useState('')
  const [isFollowing, setFollowing] = useState(false)
  // What is there already is not chosen at first.
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(list.entries.flatMap(({ url, job_id: job }) => (job === null ? [url] : []))),
  )
  const start = useImport(onStarted)
  const shown = list.entries.filter(({ title, url }) =>
    (title ?? url).toLowerCase().includes(text.trim().toLowerCase()),
  )
  const areAllChosen = shown.length > 0 && shown.every(({ url }) => chosen.has(url))
  const choose = (urls: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen)
    for (const url of urls)
      if (isChosen) next.add(url)
      else next.delete(url)
    setChosen(next)
  }
  return (
    <section className="list-review" aria-label="Playlist">
      <div className="list-head">
        <div>
          <Text fw={600}>{list.title ?? 'Without a title'}</Text>
          <Text size="sm" c="dimmed">
            {summaryOf(list)}
          </Text>
        </div>
        <ActionButton icon={IconRepeat} size="xs" onClick={() => setFollowing(true)}>
          Follow
        </ActionButton>
      </div>
      <div className="list-tools">
        <Checkbox
          checked={areAllChosen}
          indeterminate={!areAllChosen && shown.some(({ url }) => chosen.has(url))}
          label="All"
          onChange={() =>
            choose(
              shown.map(({ url }) => url),
              !areAllChosen,
            )
          }
        />
        <TextInput
          className="list-search"
          size="xs"
          aria-label="Search the list"
          placeholder="Search the list"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ul className="list-entries" aria-label="Media of the list">
        {shown.map((entry) => (
          <EntryLine
            key={entry.url}
            entry={entry}
            isChosen={chosen.has(entry.url)}
            onChange={(isChosen) => choose([entry.url], isChosen)}
          />
        ))}
      </ul>
      <Group justify="flex-end">
        <ActionButton
          icon={IconDownload}
          variant="filled"
          disabled={chosen.size === 0}
          loading={start.isPending}
          onClick={() => start.mutate({ urls: [...chosen], choices, list: list.url })}
        >
          Download {chosen.size} of {list.entries.length}
        </ActionButton>
      </Group>
      {isFollowing && <FollowDialog list={list} choices={choices} onClose={() => setFollowing(false)} />}
    </section>
  )
}

function summaryOf({ entries, left_out: leftOut, is_truncated: isTruncated }: MediaList): string {
  const parts = [
    isTruncated ? `The first ${entries.length}` : formatCount(entries.length, 'entry', 'entries'),
    leftOut === 0 ? '' : `${leftOut} left out: repeated, not of this platform, or broadcasts that have not ended`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

interface EntryLineProps {
  entry: MediaList['entries'][number]
  isChosen: boolean
  onChange: (isChosen: boolean) => void
}

function EntryLine({ entry, isChosen, onChange }: EntryLineProps) {
  const { url, title, duration_seconds: seconds, published_on: day, job_id: job } = entry
  return (
    <li className="list-entry">
      <Checkbox
        checked={isChosen}
        onChange={(event) => onChange(event.currentTarget.checked)}
        label={title ?? shortAddress(url)}
      />
      <span className="list-facts">
        {day !== null && <span>{day}</span>}
        {seconds !== null && <span>{clock(seconds)}</span>}
        {job !== null && (
          <Button component={Link} href={`/job/${job}`} variant="transparent" size="compact-xs" px={0}>
            <StatusBadge tone="quiet">Already there</StatusBadge>
          </Button>
        )}
      </span>
    </li>
  )
}
