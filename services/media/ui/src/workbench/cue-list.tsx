import { Group, Text, TextInput } from '@mantine/core'
import { IconAction, Section } from '@hearth/ui'
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { TimeField } from './time-field.tsx'
import type { WorkbenchContext, Edits } from './use-edits.ts'

/** Number of cue points that have a key. */
const withKeys = 9

/** The cue points of a session. */
export function CueList({ context, edits }: { context: WorkbenchContext; edits: Edits }) {
  const { cues } = context.session.content
  return (
    <Section title="Cue points">
      {cues.length === 0 ? (
        <Text size="sm" c="dimmed">
          Press <b>c</b> to put a cue point at the playhead; the keys 1 to 9 jump to the first nine.
        </Text>
      ) : (
        <ol className="plain-list workbench-cues" aria-label="Cue points">
          {cues.map((cue, index) => (
            <li key={cue.id}>
              <Group gap={6} wrap="nowrap">
                <b className="workbench-cue" data-plain={index >= withKeys || undefined}>
                  {index + 1}
                </b>
                <TextInput
                  aria-label={`Name of cue point ${index + 1}`}
                  placeholder={`Cue ${index + 1}`}
                  maxLength={80}
                  value={cue.name}
                  className="workbench-cue-name"
                  onChange={(event) =>
                    edits.run(
                      { type: 'change-cue', id: cue.id, values: { name: event.currentTarget.value } },
                      `name ${cue.id}`,
                    )
                  }
                />
                <TimeField
                  label={`Time of cue point ${index + 1}`}
                  isLabelHidden
                  value={cue.at}
                  step={0.1}
                  onChange={(at) => edits.run({ type: 'change-cue', id: cue.id, values: { at } })}
                />
                <IconAction
                  icon={IconPlayerPlay}
                  tip="Play from here"
                  label={`Play from cue point ${index + 1}`}
                  onClick={() => {
                    edits.jumpTo(index + 1)
                    context.deck?.play()
                  }}
                />
                <IconAction
                  icon={IconTrash}
                  tip="Delete; undo brings it back"
                  label={`Delete cue point ${index + 1}`}
                  onClick={() => edits.run({ type: 'remove-cue', id: cue.id })}
                />
              </Group>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
