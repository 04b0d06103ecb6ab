import { SegmentedControl, Text } from '@mantine/core'
import { IconMusic, IconVideo } from '@tabler/icons-react'
import type { MediaType, Quality } from '../api.ts'
import { audioQualities, qualityNames, typeNames } from '../jobs/job-labels.ts'
import type { Choices } from './choices.ts'

const types = [
  { value: 'audio', Icon: IconMusic },
  { value: 'video', Icon: IconVideo },
] as const satisfies readonly { value: MediaType; Icon: unknown }[]

const qualities = ['max', 'medium', 'small'] as const satisfies readonly Quality[]

const nameOf = (type: MediaType, quality: Quality): string =>
  type === 'audio' ? audioQualities[quality].name : qualityNames[quality]

/** Audio or video, and how good; what was chosen last is chosen again. */
export function ChoiceControls({
  choices,
  onChange,
}: {
  choices: Choices
  onChange: (next: Partial<Choices>) => void
}) {
  return (
    <div className="choices">
      <SegmentedControl
        aria-label="What to keep"
        value={choices.type}
        onChange={(type) => onChange({ type })}
        data={types.map(({ value, Icon }) => ({
          value,
          label: (
            <span className="choice">
              <Icon size={16} aria-hidden />
              {typeNames[value]}
            </span>
          ),
        }))}
      />
      <SegmentedControl
        aria-label="Quality"
        value={choices.quality}
        onChange={(quality) => onChange({ quality })}
        data={qualities.map((value) => ({ value, label: nameOf(choices.type, value) }))}
      />
      {choices.type === 'audio' && (
        <Text size="sm" c="dimmed">
          {audioQualities[choices.quality].result}
        </Text>
      )}
    </div>
  )
}
