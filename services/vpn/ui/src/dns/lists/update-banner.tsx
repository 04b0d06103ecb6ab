import type { BlocklistUpdate } from '../../api.ts'
import { Progress } from '@mantine/core'
import { Section } from '@hearth/ui'
import { IconAlertTriangle, IconCheck, IconLoader2 } from '@tabler/icons-react'
import { isSettled, updateProgress, updateWords } from './list-words.ts'

/** An update as it goes, list by list, and how it ended. */
export function UpdateBanner({ update }: { update: BlocklistUpdate }) {
  const { done, of } = updateProgress(update)
  const isRunning = update.status === 'running'
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
          <li key={part.id} data-failed={part.status === 'failed' || undefined}>
            <Sign part={part} />
            <span className="wrap-anywhere">{part.name}</span>
            <span className="hearth-dimmed">{updateWords(part)}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Sign({ part }: { part: BlocklistUpdate['lists'][number] }) {
  if (part.status === 'failed') return <IconAlertTriangle size={16} aria-label="failed" />
  if (!isSettled(part)) return <IconLoader2 size={16} aria-label="under way" />
  return <IconCheck size={16} aria-label="done" />
}
