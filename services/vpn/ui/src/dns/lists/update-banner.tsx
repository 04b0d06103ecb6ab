import { Progress } from '@mantine/core'
import { Section } from '@hearth/ui'
import { IconAlertTriangle, IconCheck, IconLoader2 } from '@tabler/icons-react'
import type { Blocklist, BlocklistUpdate } from '../../pending-api.ts'
import { updateProgress, updateWords } from './list-words.ts'

/** An update as it goes, list by list, and how it ended. */
export function UpdateBanner({ update, lists }: { update: BlocklistUpdate; lists: readonly Blocklist[] }) {
  const { done, of } = updateProgress(update)
  const isRunning = update.status === 'running'
  const names = new Map(lists.map(({ id, name }) => [id, name]))
  return (
    <Section
      title={isRunning ? 'Updating' : 'Updated'}
      actions={
        <span className="hearth-dimmed">
          {done} of {of}
        </span>
      }
    >
      <Progress
        value={of === 0 ? 100 : (done / of) * 100}
        animated={isRunning}
        aria-label={`${done} of ${of} lists are done`}
      />
      <ul className="update-list">
        {update.lists.map((part) => (
          <li key={part.id} data-failed={part.error !== null || undefined}>
            <Sign part={part} />
            <span className="wrap-anywhere">{names.get(part.id) ?? 'A list that is gone'}</span>
            <span className="hearth-dimmed">{updateWords(part)}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Sign({ part }: { part: BlocklistUpdate['lists'][number] }) {
  if (part.error !== null) return <IconAlertTriangle size={16} aria-label="failed" />
  if (part.entries === null) return <IconLoader2 size={16} aria-label="under way" />
  return <IconCheck size={16} aria-label="done" />
}
