import { Text } from '@mantine/core'
import { answer, formatCount } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, readImports } from '../api.ts'
import { DeleteButton } from '../buttons.tsx'
import './lists.css'

/** How many downloads of lists still wait to be added, and a button to forget them; nothing when none does. */
export function WaitingImports() {
  const { data } = useQuery({ queryKey: keys.imports, queryFn: readImports })
  if (data === undefined || data.waiting === 0) return null
  return (
    <div className="waiting-imports">
      <Text size="sm" component="output">
        {formatCount(data.waiting, 'more download')} of lists {data.waiting === 1 ? 'waits' : 'wait'} to be added, one
        after another.
      </Text>
      <DeleteButton
        title="Forget what waits?"
        losses={[`${formatCount(data.waiting, 'download')} that did not begin yet`]}
        verb="Forget"
        size="xs"
        action={{
          run: () => answer(api.DELETE('/api/imports')),
          done: () => 'Nothing waits any more',
          renew: [keys.imports],
        }}
      >
        Forget
      </DeleteButton>
    </div>
  )
}
