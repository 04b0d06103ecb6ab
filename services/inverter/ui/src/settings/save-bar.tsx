import { Button, Group, Text } from '@mantine/core'
import { Problem } from '@hearth/ui'
import './settings.css'

/** The foot of a form that is saved as a whole: says whether something is unsaved, and why saving failed. */
export function SaveBar(props: {
  isDirty: boolean
  isSaving: boolean
  problem: string | undefined
  onDiscard: () => void
}) {
  const { isDirty, isSaving, problem, onDiscard } = props
  return (
    <div className="settings-bar" data-dirty={isDirty || undefined}>
      <Problem text={problem} />
      <Text component="output" className="hearth-dimmed">
        {isDirty ? 'Changes are not saved yet' : 'Everything is saved'}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={!isDirty} onClick={onDiscard}>
          Discard
        </Button>
        <Button type="submit" disabled={!isDirty} loading={isSaving}>
          Save
        </Button>
      </Group>
    </div>
  )
}
