import { Button, Group, List, Modal, Stack, Switch, Text } from '@mantine/core'
import { answer, QueryState, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconLock, IconLockOpen } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, readSettings } from '../api.ts'
import { Notice } from '../page-elements.tsx'

/** Switch for write access to all inverters; takes effect immediately. */
export function WriteAccess() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const [isConfirming, setConfirming] = useState(false)
  const change = useAction<boolean, { enabled: boolean }>({
    run: (enabled) => answer(api.PUT('/admin/api/write-access', { body: { enabled } })),
    done: ({ enabled }) => (enabled ? 'Write access is on' : 'Write access is off'),
    renew: [keys.settings, keys.energy, keys.parameters],
    onDone: () => setConfirming(false),
  })
  if (settings.data === undefined) return <QueryState query={settings} lines={2} />
  const isOn = settings.data.write_access
  return (
    <Section
      title="Write access"
      actions={
        <StatusBadge tone={isOn ? 'warn' : 'good'} icon={isOn ? IconLockOpen : IconLock}>
          {isOn ? 'Read and write' : 'Read only'}
        </StatusBadge>
      }
    >
      <Group justify="space-between" gap="md" wrap="nowrap" align="flex-start">
        <Text className="hearth-dimmed" maw={640}>
          {isOn
            ? 'Tokens with write permission, these pages and battery control can change approved metrics. Turning it off takes effect immediately; a running operation is stopped first.'
            : 'Nothing can be written to any inverter, even if it is approved. Turn it on to control the battery or to change inverter settings.'}
        </Text>
        <Switch
          size="md"
          aria-label="Write access"
          checked={isOn}
          disabled={change.isPending}
          onChange={(event) => (event.currentTarget.checked ? setConfirming(true) : change.mutate(false))}
        />
      </Group>
      <Modal opened={isConfirming} onClose={() => setConfirming(false)} title="Turn on write access?">
        <Stack>
          <Notice>A wrong value can stop the inverter, wear out the battery or violate grid operator rules.</Notice>
          <List size="sm" spacing={4}>
            <List.Item>Only approved metrics can be written.</List.Item>
            <List.Item>The first time, the four battery control registers are approved automatically.</List.Item>
            <List.Item>Every write is recorded in the journal with the value read back.</List.Item>
          </List>
          <Group justify="flex-end" className="hearth-dialog-actions">
            <Button variant="default" onClick={() => setConfirming(false)} data-autofocus>
              Cancel
            </Button>
            <Button loading={change.isPending} onClick={() => change.mutate(true)}>
              Turn on
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  )
}
