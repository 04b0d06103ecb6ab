import { Group, Text } from '@mantine/core'
import { answer, describeError, formatCount, Problem, useAction } from '@hearth/ui'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { Waiting } from '../progress/waiting.tsx'

/** Interval at which the number of waiting sounds is read, milliseconds. */
const interval = 3000

/** Sounds from before an upgrade that lack values, and the way to have them analysed. */
export function AnalysisPart() {
  const state = useQuery({
    queryKey: keys.analysis,
    queryFn: () => answer(api.GET('/api/analysis')),
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pending > 0 ? interval : false),
  })
  const start = useAction({ run: () => answer(api.POST('/api/analysis')), renew: [keys.analysis] })
  if (state.error !== null) return <Problem text={describeError(state.error)} />
  if (state.data === undefined) return null
  const { outdated, pending } = state.data
  if (outdated === 0 && pending === 0) return null
  return (
    <div className="logo">
      <h3 className="small-heading">Earlier downloads</h3>
      {pending > 0 && <Waiting label={`${formatCount(pending, 'sound')} to be analysed`} />}
      {pending === 0 && (
        <>
          <Text size="sm" c="dimmed">
            {formatCount(outdated, 'sound')} without the values that an analysis finds today, from before an upgrade or
            a change of the settings above. New downloads go first.
          </Text>
          <Group gap="xs">
            <ActionButton icon={IconRefresh} loading={start.isPending} onClick={() => start.mutate()}>
              Analyse them
            </ActionButton>
          </Group>
        </>
      )}
    </div>
  )
}
