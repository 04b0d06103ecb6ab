import { Button, Group, Text } from '@mantine/core'
import { Problem } from './sign-in.tsx'

interface SaveBarProps {
  /** Number of values that differ from the saved ones. */
  count: number
  problem: string | undefined
  isSaving: boolean
  onDiscard: () => void
  /** Id of the form, for a bar that stands outside it. */
  form?: string
}

/** Foot of a form that is saved as a whole: how much is unsaved, why saving failed, and the buttons. */
export function SaveBar({ count, problem, isSaving, onDiscard, form }: SaveBarProps) {
  return (
    <div className="hearth-save-bar" data-dirty={count > 0 || undefined}>
      <Problem text={problem} />
      <Text component="output" c="dimmed">
        {count === 0 ? 'Everything is saved' : `${count} unsaved ${count === 1 ? 'change' : 'changes'}`}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={count === 0} onClick={onDiscard}>
          Discard
        </Button>
        <Button type="submit" form={form} disabled={count === 0} loading={isSaving}>
          Save settings
        </Button>
      </Group>
    </div>
  )
}
