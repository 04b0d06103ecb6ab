import { Button } from '@mantine/core'
import { answer, QueryState, RelativeTime, Section, useAction } from '@hearth/ui'
import { api, type HintException, keys } from '../api.ts'
import { useHintExceptions } from './hint-queries.ts'
import { exceptionText, kindNames } from './hint-words.ts'

/** What is expected and makes no hints; nothing while there is none. */
export function HintExceptions() {
  const exceptions = useHintExceptions()
  if (exceptions.data?.length === 0) return null
  return (
    <Section title="Expected">
      <QueryState query={exceptions} lines={2} />
      <ul className="hint-exceptions" aria-label="Expected">
        {exceptions.data?.map((exception) => (
          <Exception key={exception.id} exception={exception} />
        ))}
      </ul>
    </Section>
  )
}

function Exception({ exception }: { exception: HintException }) {
  const removal = useAction<void, { message: string }>({
    run: () => answer(api.DELETE('/api/hint-exceptions/{id}', { params: { path: { id: exception.id } } })),
    renew: [keys.hints],
  })
  const text = exceptionText(exception)
  return (
    <li>
      <span>
        {kindNames[exception.kind]}: <b>{text}</b>
        <br />
        <small className="hearth-dimmed">
          {exception.created_by}, <RelativeTime value={exception.created_at} />
        </small>
      </span>
      <Button
        size="xs"
        variant="default"
        aria-label={`Hint again: ${text}`}
        disabled={removal.isPending}
        onClick={() => removal.mutate()}
      >
        Hint again
      </Button>
    </li>
  )
}
