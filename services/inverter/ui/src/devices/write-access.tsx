import { Alert, Button, Group, List, Modal, Stack, Switch, Text } from '@mantine/core'
import { answer, QueryState, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconLock, IconLockOpen } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, readSettings } from '../api.ts'

/** Whether anything may be written to inverters at all; works at once. */
export function WriteAccess() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const [isAsking, setAsking] = useState(false)
  const change = useAction<boolean, { enabled: boolean }>({
    run: (enabled) => answer(api.PUT('/admin/api/write-access', { body: { enabled } })),
    done: ({ enabled }) => (enabled ? 'Write access is on' : 'Write access is off. Nothing is written any more.'),
    renew: [keys.settings, keys.energy, keys.parameters],
    onDone: () => setAsking(false),
  })
  if (settings.data === undefined) return <QueryState query={settings} lines={2} />
  const isOn = settings.data.write_access
  return (
    <Section
      title="Write access"
      actions={
        isOn ? (
          <StatusBadge tone="warn" icon={IconLockOpen}>
            Writing is possible
          </StatusBadge>
        ) : (
          <StatusBadge tone="good" icon={IconLock}>
            Read only
          </StatusBadge>
        )
      }
    >
      <Group justify="space-between" gap="md" wrap="nowrap" align="flex-start">
        <Text className="hearth-dimmed" maw={640}>
          {isOn
            ? 'Tokens with write permission, these pages and the Energy Manager may change approved metrics. Switching it off works at once: what runs is stopped and handed back first.'
            : 'Nothing can be written to any inverter, whatever is approved below. Switch it on to control the battery or to change settings of the inverter.'}
        </Text>
        <Switch
          size="md"
          aria-label="Write access"
          checked={isOn}
          disabled={change.isPending}
          onChange={(event) => (event.currentTarget.checked ? setAsking(true) : change.mutate(false))}
        />
      </Group>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title="Switch write access on?">
        <Stack>
          <Alert color="yellow" variant="light" className="notice-banner">
            <Text size="md">
              A wrong value can stop an inverter, wear a battery or break rules of your grid operator.
            </Text>
          </Alert>
          <List size="sm" spacing={4}>
            <List.Item>Only metrics you approve one by one can be written.</List.Item>
            <List.Item>The first time, the four registers of the battery control are approved for you.</List.Item>
            <List.Item>Every write is kept in the journal, with what the inverter read back.</List.Item>
          </List>
          <Group justify="flex-end" className="hearth-dialog-actions">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep it off
            </Button>
            <Button loading={change.isPending} onClick={() => change.mutate(true)}>
              Switch on
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  )
}
