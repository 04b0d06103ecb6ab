import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import type { Job } from '../api.ts'
import { originalOf } from '../jobs/job-labels.ts'
import { soundPath, useDownload, type SoundFormat } from '../jobs/use-job-actions.ts'

interface Choice {
  format: SoundFormat
  name: string
  about: string
}

const lossy: readonly Choice[] = [
  { format: 'mp3-320', name: 'MP3, 320 kbit/s', about: 'The most an MP3 can have' },
  { format: 'mp3-192', name: 'MP3, 192 kbit/s', about: 'Good for most players' },
  { format: 'mp3-128', name: 'MP3, 128 kbit/s', about: 'Small' },
  { format: 'opus', name: 'Opus', about: 'Better than MP3 at the same size' },
]

const cutting: readonly Choice[] = [
  { format: 'flac', name: 'FLAC', about: 'For cutting: no further loss, compressed' },
  { format: 'wav', name: 'WAV', about: 'For cutting: no further loss, plain' },
]

/** Menu of the formats that a sound can be saved in. */
export function SaveAs({ job }: { job: Job }) {
  const save = useDownload()
  const original = originalOf(job)
  const first: readonly Choice[] = [
    {
      format: 'original',
      name: 'Original',
      about: original === undefined ? 'As it is stored' : `${original}, not re-encoded`,
    },
  ]
  return (
    <Menu position="bottom-start" width={290} withinPortal>
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />} loading={save.isPending}>
          Other formats
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Choices choices={first} onChoose={(format) => save.mutate(soundPath(job, format))} />
        <Menu.Divider />
        <Choices choices={lossy} onChoose={(format) => save.mutate(soundPath(job, format))} />
        <Menu.Divider />
        <Choices choices={cutting} onChoose={(format) => save.mutate(soundPath(job, format))} />
      </Menu.Dropdown>
    </Menu>
  )
}

function Choices({ choices, onChoose }: { choices: readonly Choice[]; onChoose: (format: SoundFormat) => void }) {
  return choices.map(({ format, name, about }) => (
    <Menu.Item key={format} onClick={() => onChoose(format)}>
      <span className="save-choice">
        <b>{name}</b>
        <small>{about}</small>
      </span>
    </Menu.Item>
  ))
}
