import { answer, describeError } from '@hearth/ui'
import { Button, Group, Text } from '@mantine/core'
import { IconTopologyStar3 } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type AdminDevice, api, keys, readSettings } from '../api.ts'
import { knownSlaves } from './device-values.ts'
import { IconButton } from '../page-elements.tsx'

/** Finds other inverters of the plant and offers to add them. */
export function FurtherInverters({ device, devices }: { device: AdminDevice; devices: readonly AdminDevice[] }) {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const search = useMutation({
    networkMode: 'always',
    mutationFn: () =>
      answer(
        api.GET('/api/v1/vendor/rct/devices/{device_id}/slaves', { params: { path: { device_id: device.device_id } } }),
      ),
  })
  if (settings.data?.environment.vendor_diagnostics !== true) return null
  const found = search.data === undefined ? undefined : knownSlaves(search.data.slaves)
  const isThere = (networkId: number) =>
    devices.some((other) => other.host === device.host && other.port === device.port && other.network_id === networkId)
  return (
    <div aria-live="polite" className="further">
      <IconButton icon={IconTopologyStar3} loading={search.isPending} onClick={() => search.mutate()}>
        Find more inverters
      </IconButton>
      {search.error !== null && <Text c="var(--hearth-bad)">{describeError(search.error)}</Text>}
      {found?.length === 0 && <Text className="hearth-dimmed">No other inverters found.</Text>}
      <ul className="plain-list">
        {found?.map(({ networkId, name, serial }) => (
          <li key={networkId}>
            <Group justify="space-between">
              <span>
                <b>{name === '' ? `Network id ${networkId}` : name}</b>{' '}
                <span className="hearth-dimmed">
                  network id {networkId}
                  {serial !== '' && `, serial number ${serial}`}
                </span>
              </span>
              {isThere(networkId) ? (
                <Text className="hearth-dimmed">Already added</Text>
              ) : (
                <Button
                  component={Link}
                  variant="default"
                  size="xs"
                  href={`/inverters?add=1&host=${encodeURIComponent(device.host)}&port=${device.port}&network_id=${networkId}`}
                >
                  Add
                </Button>
              )}
            </Group>
          </li>
        ))}
      </ul>
    </div>
  )
}
