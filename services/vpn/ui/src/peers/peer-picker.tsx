import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { keys } from '../api.ts'
import { readPeers } from './peer-actions.ts'

const offered = 8

/** A field for a peer's name; what is typed is looked up among all peers, however many there are. */
export function PeerPicker({
  value,
  onChange,
  ...field
}: Omit<AutocompleteProps, 'data' | 'value'> & { value: string }) {
  const [search] = useDebouncedValue(value.trim(), 250)
  const query = { limit: offered, sort: 'name', ...(search === '' ? {} : { search }) } as const
  const peers = useQuery({
    queryKey: [...keys.peers, query],
    queryFn: () => readPeers(query),
    placeholderData: keepPreviousData,
  })
  return (
    <Autocomplete
      {...field}
      value={value}
      {...(onChange === undefined ? {} : { onChange })}
      data={peers.data?.peers.map(({ name }) => name) ?? []}
      filter={({ options }) => options}
      limit={offered}
      maxLength={64}
      autoComplete="off"
    />
  )
}
