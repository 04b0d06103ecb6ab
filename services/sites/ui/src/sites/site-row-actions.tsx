import { ActionIcon, Group, Menu, Switch, Tooltip } from '@mantine/core'
import { IconBarrierBlock, IconDots, IconEdit, IconExternalLink, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useSwitchSite } from './site-actions.ts'
import { addressOf, type Site } from './site.ts'
import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

/** Actions for a site in the list: enable, open, maintenance, remove. */
export function SiteRowActions({ site, onRemove }: { site: Site; onRemove: () => void }) {
  const change = useSwitchSite()
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Tooltip label={site.enabled ? 'Switch off' : 'Switch on'}>
        <Switch
          aria-label={`${site.site_name} is on`}
          checked={site.enabled}
          onChange={(event) => change.mutate({ site, member: 'enabled', isOn: event.currentTarget.checked })}
        />
      </Tooltip>
      <OpenSite site={site} />
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More about ${site.site_name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={`/sites/${site.id}`} leftSection={<IconEdit size={16} aria-hidden />}>
            Edit
          </Menu.Item>
          <Menu.Item
            leftSection={<IconBarrierBlock size={16} aria-hidden />}
            onClick={() => change.mutate({ site, member: 'maintenance_mode', isOn: !site.maintenance_mode })}
          >
            {site.maintenance_mode ? 'End maintenance' : 'Start maintenance'}
          </Menu.Item>
          <Menu.Item c="var(--hearth-bad)" leftSection={<IconTrash size={16} aria-hidden />} onClick={onRemove}>
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

/** Opens a site in a new tab; nothing for a site of wildcards alone. */
export function OpenSite({ site }: { site: Site }) {
  const address = addressOf(site, usePorts())
  if (address === undefined) return null
  return (
    <Tooltip label={address}>
      <ActionIcon
        component="a"
        href={address}
        target="_blank"
        rel="noreferrer"
        variant="default"
        size={30}
        aria-label={`Open ${site.site_name} in a new tab`}
      >
        <IconExternalLink size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

const usual = { http: 80, https: 443 }

/** Returns the ports of the first server, for links to sites; 80 and 443 until they are known. */
function usePorts(): { http: number; https: number } {
  const { data } = useQuery({ queryKey: keys.nodes, queryFn: () => answer(api.GET('/api/nodes')) })
  const first = data?.[0]
  return first === undefined ? usual : { http: first.http_port, https: first.https_port }
}
