import { answer, formatCount, QueryState, StatusBadge, useAction } from '@hearth/ui'
import { Button, Checkbox, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { IconRadar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, readInverterSearch, type Schemas } from '../api.ts'
import { IconButton } from '../page-elements.tsx'

type Search = Schemas['InverterSearchView']
type Found = Schemas['FoundEndpoint']
type Network = Schemas['SearchNetwork']

/** A button that opens the search for inverters in the networks of the host. */
export function FindInverters({ onAdd }: { onAdd: (found: Found) => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton icon={IconRadar} onClick={() => setOpen(true)}>
        Find inverters
      </IconButton>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Find inverters" size="lg">
        <SearchForm
          onAdd={(found) => {
            setOpen(false)
            onAdd(found)
          }}
        />
      </Modal>
    </>
  )
}

function SearchForm({ onAdd }: { onAdd: (found: Found) => void }) {
  const search = useQuery({ queryKey: keys.inverterSearch, queryFn: readInverterSearch })
  const [unchecked, setUnchecked] = useState<readonly string[]>([])
  const data = search.data
  const possible = data?.networks.filter(({ reason }) => reason === null) ?? []
  const wanted = possible.map(({ network }) => network).filter((network) => !unchecked.includes(network))
  const begin = useAction({
    run: () => answer(api.POST('/admin/api/inverter-search', { body: { networks: wanted } })),
    renew: [keys.inverterSearch],
  })
  const cancel = useAction({
    run: () => answer(api.POST('/admin/api/inverter-search:cancel')),
    renew: [keys.inverterSearch],
  })
  if (data === undefined) return <QueryState query={search} lines={4} />
  const isSearching = data.state === 'searching'
  return (
    <Stack>
      <Text className="hearth-dimmed">
        Tries port {data.port} of each address in these networks, once, and reads who answers. Nothing is written.
      </Text>
      {data.networks.length === 0 && <Text>This host is in no private network.</Text>}
      {data.networks.map((network) => (
        <Checkbox
          key={network.network}
          label={networkText(network)}
          description={network.reason === null ? undefined : reasons[network.reason]}
          disabled={network.reason !== null || isSearching}
          checked={network.reason === null && !unchecked.includes(network.network)}
          onChange={(event) =>
            setUnchecked(
              event.currentTarget.checked
                ? unchecked.filter((other) => other !== network.network)
                : [...unchecked, network.network],
            )
          }
        />
      ))}
      <Group justify="flex-end">
        {isSearching ? (
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        ) : (
          <Button disabled={wanted.length === 0} loading={begin.isPending} onClick={() => begin.mutate()}>
            Search
          </Button>
        )}
      </Group>
      <Results search={data} onAdd={onAdd} />
    </Stack>
  )
}

const networkText = ({ network, interface: name, addresses }: Network): string =>
  `${network} (${name}, ${formatCount(addresses, 'address', 'addresses')})`

const reasons = {
  too_large: 'Too large; networks of up to 1,024 addresses are searched',
  not_private: 'Not a private network',
} as const

const ends: Record<Search['state'], string> = {
  idle: '',
  searching: 'Searching',
  done: 'Search finished',
  cancelled: 'Search cancelled',
  timed_out: 'Search stopped after two minutes',
}

function Results({ search, onAdd }: { search: Search; onAdd: (found: Found) => void }) {
  const { state, checked, total, found } = search
  if (state === 'idle') return null
  return (
    <div aria-live="polite">
      <Text>
        {ends[state]}: {checked} of {total} addresses.
      </Text>
      {state === 'searching' && (
        <Progress value={(100 * checked) / Math.max(1, total)} aria-label="Addresses searched" mt={8} />
      )}
      {state !== 'searching' && found.length === 0 && (
        <Text className="hearth-dimmed">
          Nothing listens at the port of inverters. Is the inverter on, and in one of these networks? You can add it by
          its address.
        </Text>
      )}
      <ul className="plain-list found-inverters">
        {found.map((one) => (
          <FoundLine key={one.address} found={one} onAdd={() => onAdd(one)} />
        ))}
      </ul>
    </div>
  )
}

function FoundLine({ found, onAdd }: { found: Found; onAdd: () => void }) {
  const { address, kind, serial, name, firmware, detail } = found
  const facts = [serial && `serial number ${serial}`, firmware && `firmware ${firmware}`].filter(Boolean).join(', ')
  return (
    <li>
      <span>
        <b>{name ?? (kind === 'other' ? 'Not an inverter' : 'Inverter')}</b>{' '}
        <span className="hearth-mono">{address}</span>
        <small className="hearth-dimmed">{[facts, detail].filter(Boolean).join('. ')}</small>
      </span>
      {kind === 'inverter' && (
        <Button variant="default" size="xs" onClick={onAdd} aria-label={`Add ${address}`}>
          Add
        </Button>
      )}
      {kind === 'configured' && <StatusBadge tone="good">Already added</StatusBadge>}
    </li>
  )
}
