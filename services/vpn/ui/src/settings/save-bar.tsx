import { Button, Group, Text } from '@mantine/core'
import { Problem } from '@hearth/ui'

/** The end of a settings form: how much is unsaved, and what can be done about it. */
export function SaveBar(props: {
  count: number
  problem: string | undefined
  isSaving: boolean
  onDiscard: () => void
}) {
  const { count, problem, isSaving, onDiscard } = props
  return (
    <div className="settings-bar" data-dirty={count > 0 || undefined}>
      <Problem text={problem} />
      <Text component="output" c="dimmed">
        {count === 0 ? 'Everything is saved' : `${count} unsaved ${count === 1 ? 'change' : 'changes'}`}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={count === 0} onClick={onDiscard}>
          Discard
        </Button>
        <Button type="submit" disabled={count === 0} loading={isSaving}>
          Save settings
        </Button>
      </Group>
    </div>
  )
}
