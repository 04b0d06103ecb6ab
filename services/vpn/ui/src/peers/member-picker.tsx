import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { formatCount } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../api.ts'
import { readPeers } from './peer-actions.ts'

const offered = 20

const nobody: string[] = []

/** A field for devices; what is typed is looked up among all of them, however many there are. */
export function MemberPicker({
  known,
  value = nobody,
  ...field
}: {
  known: readonly { readonly id: string; readonly name: string }[]
  value?: string[]
  onChange?: (ids: string[]) => void
  error?: React.ReactNode
}) {
  const [typed, setTyped] = useState('')
  const [names, setNames] = useState(() => new Map(known.map(({ id, name }) => [id, name])))
  const [search] = useDebouncedValue(typed.trim(), 250)
  const query = { limit: offered, sort: 'name', ...(search === '' ? {} : { search }) } as const
  const peers = useQuery({
    queryKey: [...keys.peers, query],
    queryFn: () => readPeers(query),
    placeholderData: keepPreviousData,
  })
  const found = new Map((peers.data?.peers ?? []).map(({ id, name }) => [id, name]))
  const options = new Map([...value.map((id) => [id, names.get(id) ?? id] as const), ...found])
  return (
    <MultiSelect
      label="Devices"
      description={`${formatCount(value.length, 'device')} by hand`}
      placeholder={value.length === 0 ? 'Search devices' : ''}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage={peers.isPending ? 'Loading' : 'No device found'}
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={value}
      {...field}
      onChange={(ids) => {
        setNames(
          new Map([...names, ...ids.flatMap((id) => (found.has(id) ? [[id, found.get(id) ?? ''] as const] : []))]),
        )
        field.onChange?.(ids)
      }}
    />
  )
}
