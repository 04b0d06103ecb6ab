import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { answer, useAction } from '@hearth/ui'
import { IconDots, IconPencil, IconPlayerPlay, IconPlayerStop, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { api, type Interface, keys } from '../api.ts'
import { DeleteInterface } from './delete-interface.tsx'
import { EditInterface } from './interface-dialogs.tsx'

/** What an administrator can do with one interface. */
export function InterfaceActions({ interface: target }: { interface: Interface }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <StartStop interface={target} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More for ${target.name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setDialog('edit')}>
            Edit
          </Menu.Item>
          <Menu.Item
            c="var(--hearth-bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDialog('delete')}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <EditInterface interface={target} onClose={close} />}
      {dialog === 'delete' && <DeleteInterface interface={target} onClose={close} />}
    </Group>
  )
}

function StartStop({ interface: target }: { interface: Interface }) {
  const verb = target.enabled && target.status !== 'error' ? 'stop' : 'start'
  const act = useAction<void, { message: string }>({
    run: () => answer(api.POST(`/api/interfaces/{name}/${verb}`, { params: { path: { name: target.name } } })),
    renew: [keys.interfaces, keys.peers, keys.overview],
  })
  const Icon = verb === 'stop' ? IconPlayerStop : IconPlayerPlay
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={`${verb === 'stop' ? 'Stop' : 'Start'} ${target.name}`}
      leftSection={<Icon size={14} aria-hidden />}
      loading={act.isPending}
      onClick={() => act.mutate()}
    >
      {verb === 'stop' ? 'Stop' : 'Start'}
    </Button>
  )
}
