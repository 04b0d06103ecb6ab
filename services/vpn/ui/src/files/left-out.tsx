import { Alert, List, Text } from '@mantine/core'
import { formatCount } from '@hearth/ui'
import { IconInfoCircle } from '@tabler/icons-react'

/** Entries that are shown; files of strangers may leave thousands out. */
const shown = 30

/** What of another program does not come along, with the reasons. */
export function LeftOut({ entries }: { entries: readonly { about: string; reason: string }[] }) {
  if (entries.length === 0) return null
  return (
    <Alert color="gray" icon={<IconInfoCircle aria-hidden />} title="What does not come along">
      <List size="sm" spacing={4} className="left-out">
        {entries.slice(0, shown).map(({ about, reason }) => (
          <List.Item key={`${about} ${reason}`}>
            <b>{about}</b>: {reason}
          </List.Item>
        ))}
      </List>
      {entries.length > shown && <Text size="sm">And {formatCount(entries.length - shown, 'more note')}.</Text>}
    </Alert>
  )
}
